import type { AgentInput, UIMessage } from '../model/messages/message.ts';

/**
 * The message of the assistant that a run on this input extends: after an approval, or after a
 * tool call of the client.
 */
export function extendedMessage(input: AgentInput): UIMessage | undefined {
  const last = typeof input === 'string' ? undefined : input.at(-1);
  if (last?.role !== 'assistant' || !('parts' in last) || last.id === undefined) return undefined;
  return { ...last, id: last.id };
}
