import type { AgentEvent, StreamEvent } from '../agent/agent-event.ts';

/** The event as raw streams over HTTP have it; undefined for content of one provider, and for a summary. */
export function toStreamEvent(event: AgentEvent): StreamEvent | undefined {
  if (event.type === 'custom' || event.type === 'summary') return undefined;
  return event.type === 'reasoning-file' ? { ...event, type: 'file' } : event;
}
