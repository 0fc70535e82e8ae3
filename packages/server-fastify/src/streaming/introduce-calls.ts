import type { AgentEvent } from '@halyard/core';
import type { EventSource } from '../define/define-stream.ts';

/**
 * Tells of a call before its result, where the client does not know it: it may have been shown what somebody was asked, and not all that the agent did
 * before. A result of nothing is an error to a chat.
 *
 * @param known ids of the calls that the client's message holds.
 */
export function introduceCalls(events: EventSource<AgentEvent>, known: ReadonlySet<string>): EventSource<AgentEvent> {
  const told = new Set(known);
  return {
    nextBatch: async () => {
      const batch = await events.nextBatch();
      return batch?.flatMap((event) => introduced(event, told));
    },
    cancel: () => events.cancel(),
  };
}

function introduced(event: AgentEvent, told: Set<string>): AgentEvent | readonly AgentEvent[] {
  if (event.agentId !== undefined || !('toolCallId' in event) || told.has(event.toolCallId)) return event;
  told.add(event.toolCallId);
  const { input, toolCallId, toolName, type } = event;
  return type === 'tool-call' ? event : [{ type: 'tool-call', toolCallId, toolName, input }, event];
}
