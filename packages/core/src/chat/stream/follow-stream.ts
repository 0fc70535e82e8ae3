import { type StreamStore, UnavailableError } from '@halyard/contracts';
import type { SharedInterval } from '../../async/shared-interval.ts';
import { StreamChanges } from '../../conversation/lock/stream-changes.ts';
import { readAgain, type ReadAgainOptions } from './read-again.ts';

export interface FollowStreamOptions extends ReadAgainOptions {
  readonly store: StreamStore;
  readonly ticks: SharedInterval;
  /** Number of chunks to leave out. */
  readonly after: number;
}

/** A stream without a reported change is read again after so long: its writer may have died. */
const silenceMs = 3_000;
const maxChunksPerRead = 256;
/**
 * Characters of one batch, unless a single chunk has more: it bounds the memory that a slow reader
 * costs.
 */
const maxBatchLength = 64 * 1024;

/**
 * The chunks of a stored reply in batches, each chunk the JSON of a UI message chunk, until the
 * reply has ended.
 *
 * Chunks are read when the consumer asks for them, by their number: a read that failed is made
 * again, so none is lost or repeated. Throws UnavailableError (`ANSWER_LOST`) when the process that
 * wrote the reply has died.
 */
export async function* followStream(
  id: string,
  options: FollowStreamOptions,
): AsyncGenerator<readonly string[], void, undefined> {
  const { after, signal, store, ticks } = options;
  const changes = new StreamChanges({ store, ticks, signal, minMs: 0, maxMs: silenceMs });
  try {
    changes.watch(id);
    let position = after;
    let limit = maxChunksPerRead;
    while (!signal.aborted) {
      const range = { after: position, limit };
      const found = await readAgain(() => store.read(id, range), options);
      if (found === undefined) throw replyLost();
      const { chunks, status } = found;
      const batch = firstBatch(chunks);
      const isAll = batch.length === chunks.length && chunks.length < limit;
      // Of long chunks, the next read asks for no more than fit into a batch.
      limit = batch.length < chunks.length ? batch.length : maxChunksPerRead;
      position += batch.length;
      if (batch.length > 0) yield batch;
      if (isAll && status === 'ended') return;
      if (!isAll) continue;
      if (status === 'lost') throw replyLost();
      await changes.next();
    }
  } finally {
    changes.close();
  }
}

function firstBatch(chunks: readonly string[]): readonly string[] {
  let length = 0;
  const end = chunks.findIndex((chunk, at) => {
    length += chunk.length;
    return at > 0 && length > maxBatchLength;
  });
  return end === -1 ? chunks : chunks.slice(0, end);
}

function replyLost(): UnavailableError {
  return new UnavailableError('ANSWER_LOST', 'The answer was lost: the server that generated it has stopped');
}
