import type { AgentEvent, StreamEvent } from '../agent/agent-event.ts';

/**
 * The event as raw streams over HTTP have it; undefined for content of one provider, data of tools,
 * and a summary. Metadata of messages are left out.
 */
export function toStreamEvent(event: AgentEvent): StreamEvent | undefined {
  if (event.type === 'custom' || event.type === 'data' || event.type === 'summary') return undefined;
  if (event.type === 'start' || event.type === 'finish') {
    const { messageMetadata: _, ...sent } = event;
    return sent;
  }
  if (event.type === 'tool-result' && event.waiting !== undefined) {
    const { waiting: _, ...sent } = event;
    return sent;
  }
  return event.type === 'reasoning-file' ? { ...event, type: 'file' } : event;
}
