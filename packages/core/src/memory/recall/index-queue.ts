import { FairQueue } from '../../services/fair-queue.ts';

/** A message to be indexed; without `messageId`, all messages of the conversation. */
export interface IndexJob {
  /** The user in whose order it waits; all jobs without one count as one user. */
  readonly userId: string | undefined;
  readonly conversationId: string;
  readonly messageId: string | undefined;
  /** Of a conversation: only messages that are older than this time are left. */
  readonly before?: number | undefined;
  /** How often it has failed. */
  failures: number;
}

/**
 * The messages that wait to be indexed: each once, and `limit` at most. Users are served in
 * fair order, message by message.
 */
export class IndexQueue {
  readonly #limit: number;
  readonly #waiting = new FairQueue<IndexJob>();
  /** Keys of the jobs that wait. */
  readonly #keys = new Set<string>();
  /** Jobs that have failed and wait for the next pass. */
  readonly #failed = new Map<string, IndexJob>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#waiting.size + this.#failed.size;
  }

  /** Whether there is a job to take. */
  get isWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  /**
   * @returns the job that is dropped when the queue is full: the newest of the user who has the
   * most waiting.
   */
  add(job: IndexJob): IndexJob | undefined {
    const key = toKey(job);
    if (this.#keys.has(key)) return undefined;
    this.#failed.delete(key);
    this.#wait(job);
    return this.size > this.#limit ? this.#drop() : undefined;
  }

  /**
   * Takes jobs for one batch, `limit` at most. The more often the first has failed, the smaller the
   * batch: that isolates the message that causes the failure.
   */
  take(limit: number): readonly IndexJob[] {
    const first = this.#take(() => true);
    if (first === undefined) return [];
    const taken = [first];
    if (first.messageId === undefined) return taken;
    const batchSize = Math.max(1, Math.floor(limit / 8 ** first.failures));
    const fits = ({ failures, messageId }: IndexJob): boolean => messageId !== undefined && failures === first.failures;
    while (taken.length < batchSize) {
      const job = this.#take(fits);
      if (job === undefined) break;
      taken.push(job);
    }
    return taken;
  }

  /** Adds a failed job to the next pass, unless it was added again since. */
  retryLater(job: IndexJob): void {
    const key = toKey(job);
    if (!this.#keys.has(key)) this.#failed.set(key, job);
  }

  /** Begins the next pass. */
  retryFailed(): void {
    for (const job of this.#failed.values()) this.#wait(job);
    this.#failed.clear();
  }

  #wait(job: IndexJob): void {
    this.#waiting.add(job.userId ?? '', job);
    this.#keys.add(toKey(job));
  }

  #take(mayTake: (job: IndexJob) => boolean): IndexJob | undefined {
    return this.#forget(this.#waiting.take((_, oldest) => mayTake(oldest)));
  }

  #drop(): IndexJob | undefined {
    return this.#forget(this.#waiting.dropNewest());
  }

  #forget(job: IndexJob | undefined): IndexJob | undefined {
    if (job !== undefined) this.#keys.delete(toKey(job));
    return job;
  }
}

/** The id of a conversation contains no slash. */
function toKey({ before, conversationId, messageId }: IndexJob): string {
  if (messageId !== undefined) return `${conversationId}/${messageId}`;
  return before === undefined ? conversationId : `/${before}/${conversationId}`;
}
