import type { AgentEvent } from '../agent/agent-event.ts';
import type { AgentStream } from '../agent/agent-stream.ts';
import type { AgentInput, UIMessageChunk } from '../model/messages/message.ts';
import { toUiChunks } from './to-ui-chunks.ts';

/** A run of an agent as batches of the AI SDK's UI message stream. */
export function agentChunks(stream: AgentStream, input: AgentInput): AsyncIterable<readonly UIMessageChunk[]> {
  return uiChunks(stream.batches(), stream.messageId, findLastReplyCalls(input));
}

/**
 * Batches of events as batches of chunks.
 *
 * @param known ids of the calls in the client's message.
 */
export async function* uiChunks(
  batches: AsyncIterable<readonly AgentEvent[]>,
  messageId: string,
  known: ReadonlySet<string>,
): AsyncGenerator<readonly UIMessageChunk[], void, undefined> {
  const convert = uiChunkConverter(messageId, known);
  for await (const batch of batches) yield convert(batch);
}

/** Converts the events of one run, batch by batch. */
export function uiChunkConverter(
  messageId: string,
  known: ReadonlySet<string>,
): (batch: readonly AgentEvent[]) => readonly UIMessageChunk[] {
  const sent = new Set(known);
  return (batch) =>
    batch.flatMap((event) => {
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
export function findLastReplyCalls(input: AgentInput): ReadonlySet<string> {
  const messages = typeof input === 'string' ? [] : [...input];
  const last = messages.findLast(({ role }) => role === 'assistant' || role === 'user');
  const parts = last === undefined ? [] : 'parts' in last ? last.parts : last.content;
  return new Set(
    (typeof parts === 'string' ? [] : parts).flatMap((part) =>
      'toolCallId' in part && typeof part.toolCallId === 'string' ? [part.toolCallId] : [],
    ),
  );
}
