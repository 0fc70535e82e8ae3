import type { AgentEvent } from '../agent/agent-event.ts';
import type { InternalRunOptions } from '../agent/agent-options.ts';
import type { AgentStream } from '../agent/agent-stream.ts';
import type { Agent } from '../agent/agent.ts';
import type { AgentInput, UIMessage, UIMessageChunk } from '../model/message.ts';
import { continueExecutions, type ContinueServices } from './executions/continue-executions.ts';
import { toUiChunks } from './to-ui-chunks.ts';

/**
 * Runs the agent, or continues the executions to whose approval requests the input responds, as
 * batches of the AI SDK's UI message stream. Aborting the signal of the options ends the chunks;
 * executions continue.
 *
 * @throws the errors of `Agent.streamText` and `continueExecutions`.
 */
export async function startChat(
  agent: Agent,
  input: AgentInput,
  options: InternalRunOptions,
  services: ContinueServices,
): Promise<AsyncIterable<readonly UIMessageChunk[]>> {
  const continued = await continueExecutions(agent, input, options, services);
  if (continued !== undefined) {
    const messageId = options.messageId ?? services.agentServices.ids.next();
    return uiChunks(continued.batches(), messageId, findLastReplyCalls(input));
  }
  return agentChunks(await agent.streamText(input, options), input);
}

/** A run of an agent as batches of the AI SDK's UI message stream. */
export function agentChunks(stream: AgentStream, input: AgentInput): AsyncIterable<readonly UIMessageChunk[]> {
  return uiChunks(stream.batches(), stream.messageId, findLastReplyCalls(input));
}

/**
 * The message of the assistant that a run on this input continues: after an approval, or after a
 * tool call of the client.
 */
export function continuedMessage(input: AgentInput): UIMessage | undefined {
  const last = typeof input === 'string' ? undefined : input.at(-1);
  if (last?.role !== 'assistant' || !('parts' in last) || last.id === undefined) return undefined;
  return { ...last, id: last.id };
}

/** @param known ids of the calls in the client's message. */
async function* uiChunks(
  batches: AsyncIterable<readonly AgentEvent[]>,
  messageId: string,
  known: ReadonlySet<string>,
): AsyncGenerator<readonly UIMessageChunk[], void, undefined> {
  const sent = new Set(known);
  for await (const batch of batches)
    yield batch.flatMap((event) => {
      const call = missingCall(event, sent);
      if (call === undefined) return toUiChunks(event, messageId);
      return [call, event].flatMap((each) => toUiChunks(each, messageId));
    });
}

/**
 * The call of a result whose call the client does not know: it may not have received all that the
 * agent did before, and a provider may send a result after the reply with its call has ended. The
 * AI SDK rejects a result without its call.
 */
function missingCall(event: AgentEvent, sent: Set<string>): AgentEvent | undefined {
  if (event.agentId !== undefined || !('toolCallId' in event) || sent.has(event.toolCallId)) return undefined;
  sent.add(event.toolCallId);
  // A call whose input was cut is known by the start of its input. A client must not run its own
  // tool with it.
  if (event.type === 'tool-call' || (event.type === 'tool-error' && event.invalidInput === true)) return undefined;
  const { dynamic, input, providerExecuted, toolCallId, toolName } = event;
  const marks = {
    ...(dynamic !== undefined && { dynamic }),
    ...(providerExecuted !== undefined && { providerExecuted }),
  };
  return { type: 'tool-call', toolCallId, toolName, input, ...marks };
}

/**
 * Ids of the calls in the last message of the assistant, if responses to it follow. After a
 * question, a new message begins.
 */
function findLastReplyCalls(input: AgentInput): ReadonlySet<string> {
  const messages = typeof input === 'string' ? [] : [...input];
  const last = messages.findLast(({ role }) => role === 'assistant' || role === 'user');
  const parts = last === undefined ? [] : 'parts' in last ? last.parts : last.content;
  return new Set(
    (typeof parts === 'string' ? [] : parts).flatMap((part) =>
      'toolCallId' in part && typeof part.toolCallId === 'string' ? [part.toolCallId] : [],
    ),
  );
}
