import { HalyardError, UnavailableError } from '@halyard/contracts';
import type { StoredRoot } from './stored-execution.ts';

export interface UnfinishedLimits {
  /**
   * Roughly how many bytes the executions may take that have not ended. Beyond it, no more are
   * started. Default: 256 MiB.
   */
  readonly maxUnfinishedBytes?: number | undefined;
  /**
   * The same of the executions of one user. Those without a user count only with those of all.
   * Default: 64 MiB.
   */
  readonly maxUnfinishedBytesPerUser?: number | undefined;
}

/**
 * Counts the bytes of unfinished executions. Those that have started are never refused, so their
 * records may exceed the limits.
 */
export class UnfinishedBytes {
  readonly #max: number;
  readonly #maxPerUser: number;
  readonly #byRoot = new Map<StoredRoot, number>();
  readonly #byUser = new Map<string, number>();
  #total = 0;

  constructor({
    maxUnfinishedBytes = 256 * 1024 * 1024,
    maxUnfinishedBytesPerUser = 64 * 1024 * 1024,
  }: UnfinishedLimits) {
    this.#max = maxUnfinishedBytes;
    this.#maxPerUser = maxUnfinishedBytesPerUser;
  }

  /**
   * @throws HalyardError (`TOO_MANY_EXECUTIONS`) when this user has reached its limit,
   * UnavailableError (`OVERLOADED`) when all have reached theirs.
   */
  checkRoom(userId: string | undefined): void {
    if (userId !== undefined && (this.#byUser.get(userId) ?? 0) >= this.#maxPerUser)
      throw new HalyardError(
        'rate-limited',
        'TOO_MANY_EXECUTIONS',
        'Too many of your executions have not ended: wait until some have ended, or cancel them',
      );
    if (this.#total >= this.#max)
      throw new UnavailableError(
        'OVERLOADED',
        'The storage in memory is full: too many executions have not ended (executions.maxUnfinishedBytes)',
      );
  }

  /** Replaces the count of this root. */
  set(root: StoredRoot, bytes: number): void {
    this.#add(root, bytes - (this.#byRoot.get(root) ?? 0));
    this.#byRoot.set(root, bytes);
  }

  /** The root has ended, or was deleted. */
  delete(root: StoredRoot): void {
    this.#add(root, -(this.#byRoot.get(root) ?? 0));
    this.#byRoot.delete(root);
  }

  #add({ record: { userId } }: StoredRoot, bytes: number): void {
    this.#total += bytes;
    if (userId === undefined) return;
    const left = (this.#byUser.get(userId) ?? 0) + bytes;
    if (left > 0) this.#byUser.set(userId, left);
    else this.#byUser.delete(userId);
  }
}
