import type { AgentEvent } from '../agent/agent-event.ts';
import type { RunOptions } from '../agent/agent-options.ts';
import type { Agent } from '../agent/agent.ts';
import type { AgentInput, UIMessage, UIMessageChunk } from '../model/message.ts';
import { continueExecutions, type ContinueServices } from './continue-executions.ts';
import { toUiChunks } from './to-ui-chunks.ts';

/**
 * Runs the agent, or continues the executions whose approvals the input answers, as batches of the AI SDK's UI message stream.
 * Aborting the signal of the options ends the chunks; executions continue.
 *
 * @throws what `Agent.streamText` and `continueExecutions` throw.
 */
export async function startChat(
  agent: Agent,
  input: AgentInput,
  options: RunOptions,
  services: ContinueServices,
): Promise<AsyncIterable<readonly UIMessageChunk[]>> {
  const continued = await continueExecutions(agent, input, options, services);
  if (continued !== undefined) {
    const messageId = options.messageId ?? services.run.ids.next();
    return uiChunks(withMissingCalls(continued.batches(), callsOfLastAnswer(input)), messageId);
  }
  const stream = await agent.streamText(input, options);
  return uiChunks(stream.batches(), stream.messageId);
}

/** The message of the assistant that a run on this input continues: after an approval, or after a tool call of the client. */
export function continuedMessage(input: AgentInput): UIMessage | undefined {
  const last = typeof input === 'string' ? undefined : input.at(-1);
  if (last?.role !== 'assistant' || !('parts' in last) || last.id === undefined) return undefined;
  return { ...last, id: last.id };
}

async function* uiChunks(
  batches: AsyncIterable<readonly AgentEvent[]>,
  messageId: string,
): AsyncGenerator<readonly UIMessageChunk[], void, undefined> {
  for await (const batch of batches) yield batch.flatMap((event) => toUiChunks(event, messageId));
}

/**
 * Adds the call before each result whose call the client does not know: it may not have received all that the agent did before. The
 * AI SDK rejects a result without its call.
 *
 * @param known ids of the calls in the client's message.
 */
async function* withMissingCalls(
  batches: AsyncIterable<readonly AgentEvent[]>,
  known: ReadonlySet<string>,
): AsyncGenerator<readonly AgentEvent[], void, undefined> {
  const sent = new Set(known);
  for await (const batch of batches) yield batch.flatMap((event) => withMissingCall(event, sent));
}

function withMissingCall(event: AgentEvent, sent: Set<string>): AgentEvent | readonly AgentEvent[] {
  if (event.agentId !== undefined || !('toolCallId' in event) || sent.has(event.toolCallId)) return event;
  sent.add(event.toolCallId);
  const { input, toolCallId, toolName, type } = event;
  return type === 'tool-call' ? event : [{ type: 'tool-call', toolCallId, toolName, input }, event];
}

/** Ids of the calls in the last message of the assistant: the answers belong to it. */
function callsOfLastAnswer(input: AgentInput): ReadonlySet<string> {
  const messages = typeof input === 'string' ? [] : [...input];
  const last = messages.findLast(({ role }) => role === 'assistant');
  const parts = last === undefined ? [] : 'parts' in last ? last.parts : last.content;
  return new Set(
    (typeof parts === 'string' ? [] : parts).flatMap((part) =>
      'toolCallId' in part && typeof part.toolCallId === 'string' ? [part.toolCallId] : [],
    ),
  );
}
