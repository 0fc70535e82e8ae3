/** A stream that can also be iterated, as those of the AI SDK. */
export type AsyncIterableStream<Item> = AsyncIterable<Item> & ReadableStream<Item>;

/**
 * Batches as a stream of what they are converted to. Asks for no batch while the stream is not
 * read. Cancelling the stream returns the iterator at once, even while it waits for a batch.
 *
 * @param open is called when the stream is first read or cancelled.
 */
export function toReadable<Batch, Item>(
  open: () => AsyncIterator<Batch, void, undefined>,
  convert: (batch: Batch) => readonly Item[] | Promise<readonly Item[]>,
  last: readonly Item[] = [],
): AsyncIterableStream<Item> {
  let opened: AsyncIterator<Batch, void, undefined> | undefined;
  const stream = new ReadableStream<Item>(
    {
      pull: async (controller) => {
        opened ??= open();
        for (;;) {
          const batch = await opened.next();
          const items = batch.done === true ? last : await convert(batch.value);
          for (const item of items) controller.enqueue(item);
          if (batch.done === true) controller.close();
          if (batch.done === true || items.length > 0) return;
        }
      },
      cancel: async () => {
        opened ??= open();
        await opened.return?.();
      },
    },
    { highWaterMark: 0 },
  );
  return stream;
}
