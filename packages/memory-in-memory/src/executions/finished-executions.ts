import { LinkedList } from '../conversations/linked-list.ts';
import { estimatedBytes } from '../estimated-bytes.ts';
import type { ExecutionTable } from './execution-table.ts';
import type { StoredRoot } from './stored-execution.ts';

export interface RetentionOptions {
  /** How many finished root executions are kept; the one that ended first goes first. Default: 10 000. */
  readonly maxFinished?: number;
  /** How many bytes finished executions may hold, roughly. Default: 64 MiB. */
  readonly maxFinishedBytes?: number;
}

/** The roots that have ended, in the order they did. Keeps no more of them than it may. */
export class FinishedExecutions {
  readonly #table: ExecutionTable;
  readonly #maxCount: number;
  readonly #maxBytes: number;
  readonly #roots = new LinkedList<StoredRoot>();
  #bytes = 0;

  constructor(
    table: ExecutionTable,
    { maxFinished = 10_000, maxFinishedBytes = 64 * 1024 * 1024 }: RetentionOptions = {},
  ) {
    this.#table = table;
    this.#maxCount = maxFinished;
    this.#maxBytes = maxFinishedBytes;
  }

  /** Keeps a root that has just ended, and deletes the oldest beyond the limits. One that is too large by itself is kept until the next. */
  add(root: StoredRoot): void {
    root.finishedBytes = estimatedBytes(root);
    root.finishedLink = this.#roots.add(root);
    this.#bytes += root.finishedBytes;
    while (this.#roots.size > this.#maxCount || (this.#bytes > this.#maxBytes && this.#roots.size > 1)) {
      const oldest = this.#roots.oldest;
      if (oldest === undefined) return;
      this.delete(oldest.value);
    }
  }

  /** For a root that runs again. */
  remove(root: StoredRoot): void {
    if (root.finishedLink === undefined) return;
    root.finishedLink.remove();
    root.finishedLink = undefined;
    this.#bytes -= root.finishedBytes;
  }

  /** Deletes the roots that ended at `endedBy` or before, `limit` at most. @returns how many. */
  purge(endedBy: number, limit: number): number {
    let purged = 0;
    while (purged < limit) {
      const oldest = this.#roots.oldest?.value;
      if (oldest === undefined || oldest.endedAt === null || oldest.endedAt > endedBy) break;
      this.delete(oldest);
      purged += 1;
    }
    return purged;
  }

  /** Deletes a root, whether it has ended or not. */
  delete(root: StoredRoot): void {
    this.remove(root);
    this.#table.delete(root);
  }
}
