import type { EventSource } from '../define/define-stream.ts';
import type { UiMessageChunk } from '../schemas/ui-message-chunk.ts';

/** A source that ends with an `abort` as soon as the signal is aborted: for those that do not listen to it, and go on elsewhere. */
export function endedBy(signal: AbortSignal, source: EventSource<UiMessageChunk>): EventSource<UiMessageChunk> {
  let isTold = false;
  if (signal.aborted) source.cancel();
  else signal.addEventListener('abort', () => source.cancel(), { once: true });
  return {
    nextBatch: async () => {
      const batch = signal.aborted ? undefined : await source.nextBatch();
      if (!signal.aborted) return batch;
      if (isTold) return undefined;
      isTold = true;
      return [{ type: 'abort' }];
    },
    cancel: () => source.cancel(),
  };
}
