import type { EventSource } from '../define/define-stream.ts';

/**
 * An iterable as a source of events, one at a time.
 *
 * @param onCancel stops what the iterable waits for: the `return` of a generator takes effect only after the event it awaits.
 */
export function batchesOf<Event>(events: AsyncIterable<Event>, onCancel: () => void): EventSource<Event> {
  const iterator = events[Symbol.asyncIterator]();
  return {
    nextBatch: async () => {
      const next = await iterator.next();
      return next.done === true ? undefined : [next.value];
    },
    cancel: () => {
      onCancel();
      // Nobody reads any more: what goes wrong from here on concerns nobody.
      iterator.return?.().catch(() => {});
    },
  };
}
