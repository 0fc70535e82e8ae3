import type { AgentEvent } from '@halyard/core';
import { frame, textDeltaFrame } from './frame.ts';

/** The SSE frame of one event of a raw stream. */
export function encodeAgentEvent(event: AgentEvent): string {
  if (event.type !== 'text-delta' || event.agentId !== undefined || event.providerMetadata !== undefined)
    return frame(event);
  return textDeltaFrame(event.id, event.delta);
}
