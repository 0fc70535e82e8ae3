import { HalyardError, type StreamChunks, type StreamStore } from '@halyard/contracts';
import { retryWhileUnavailable } from './retry-while-unavailable.ts';

/** Reads the stored chunks of a stream to its end, and continues after each notification. */
export async function followStream(
  streams: StreamStore,
  id: string,
  onRead: (chunks: readonly string[]) => void = () => {},
): Promise<StreamChunks> {
  const chunks: string[] = [];
  let { promise, resolve } = Promise.withResolvers<void>();
  const stop = streams.watch(id, () => resolve());
  try {
    for (;;) {
      const more = promise;
      const read = await retryWhileUnavailable(() => streams.read(id, { after: chunks.length, limit: 50 }));
      if (read === undefined) throw new HalyardError('internal', 'INTERNAL', `${id} does not exist`);
      chunks.push(...read.chunks);
      if (read.chunks.length > 0) onRead(read.chunks);
      else if (read.status !== 'live') return { chunks, status: read.status };
      else {
        await more;
        ({ promise, resolve } = Promise.withResolvers<void>());
      }
    }
  } finally {
    stop();
  }
}
