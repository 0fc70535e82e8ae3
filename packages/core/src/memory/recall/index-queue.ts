/** A message to be indexed; without `messageId`, all messages of the conversation. */
export interface IndexJob {
  readonly conversationId: string;
  readonly messageId: string | undefined;
  /** How often it has failed. */
  failures: number;
}

/** The messages that wait to be indexed: each once, and `limit` at most. */
export class IndexQueue {
  readonly #limit: number;
  readonly #waiting = new Map<string, IndexJob>();
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

  /** @returns false when the queue is full. */
  add(job: IndexJob): boolean {
    const key = keyOf(job);
    if (this.#waiting.has(key)) return true;
    if (this.size >= this.#limit && !this.#failed.has(key)) return false;
    this.#failed.delete(key);
    this.#waiting.set(key, job);
    return true;
  }

  /** Takes jobs for one batch, `limit` at most. The more often the first has failed, the smaller the batch: that isolates the message that causes the failure. */
  take(limit: number): readonly IndexJob[] {
    const taken: IndexJob[] = [];
    let batchSize = limit;
    for (const [key, job] of this.#waiting) {
      if (taken.length === 0) batchSize = Math.max(1, Math.floor(limit / 8 ** job.failures));
      else if (taken.length >= batchSize || job.messageId === undefined || taken[0]?.failures !== job.failures) break;
      this.#waiting.delete(key);
      taken.push(job);
      if (job.messageId === undefined) break;
    }
    return taken;
  }

  /** Adds a failed job to the next pass, unless it was added again since. */
  retryLater(job: IndexJob): void {
    const key = keyOf(job);
    if (!this.#waiting.has(key)) this.#failed.set(key, job);
  }

  /** Begins the next pass. */
  retryFailed(): void {
    for (const [key, job] of this.#failed) this.#waiting.set(key, job);
    this.#failed.clear();
  }
}

/** The id of a conversation contains no slash. */
function keyOf({ conversationId, messageId }: IndexJob): string {
  return messageId === undefined ? conversationId : `${conversationId}/${messageId}`;
}
