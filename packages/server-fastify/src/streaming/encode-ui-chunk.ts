import type { UiMessageChunk } from '../schemas/ui-message-chunk.ts';
import { frame, textDeltaFrame } from './frame.ts';

/** The SSE frame of one chunk of a UI message stream. */
export function encodeUiChunk(chunk: UiMessageChunk): string {
  if (chunk.type !== 'text-delta' || chunk.providerMetadata !== undefined) return frame(chunk);
  return textDeltaFrame(chunk.id, chunk.delta);
}
