/** A message whose text is to be indexed; without `messageId`, all messages of the conversation. */
export class IndexJob {
  readonly conversationId: string;
  readonly messageId: string | undefined;
  /** How often it has failed. */
  failures = 0;

  constructor(conversationId: string, messageId: string | undefined) {
    this.conversationId = conversationId;
    this.messageId = messageId;
  }
}

/** What waits to be indexed: each message once, so many at most. */
export class IndexQueue {
  readonly #limit: number;
  readonly #waiting = new Map<string, IndexJob>();
  /** Failed, and waiting for the next pass. */
  readonly #later = new Map<string, IndexJob>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#waiting.size + this.#later.size;
  }

  /** Whether there is something to take. */
  get isWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  /** @returns whether there was room. */
  add(job: IndexJob): boolean {
    const key = keyOf(job);
    if (this.#waiting.has(key)) return true;
    if (this.size >= this.#limit && !this.#later.has(key)) return false;
    this.#later.delete(key);
    this.#waiting.set(key, job);
    return true;
  }

  /** Takes jobs that can be done together, `limit` at most; the more often the first has failed, the fewer: what is to blame is found that way. */
  take(limit: number): readonly IndexJob[] {
    const taken: IndexJob[] = [];
    let room = limit;
    for (const [key, job] of this.#waiting) {
      if (taken.length === 0) room = Math.max(1, Math.floor(limit / 8 ** job.failures));
      else if (taken.length >= room || job.messageId === undefined || taken[0]?.failures !== job.failures) break;
      this.#waiting.delete(key);
      taken.push(job);
      if (job.messageId === undefined) break;
    }
    return taken;
  }

  /** Keeps what has failed for the next pass, unless it was added again meanwhile. */
  putOff(job: IndexJob): void {
    const key = keyOf(job);
    if (!this.#waiting.has(key)) this.#later.set(key, job);
  }

  /** Begins the next pass. */
  bringBack(): void {
    for (const [key, job] of this.#later) this.#waiting.set(key, job);
    this.#later.clear();
  }
}

/** No conversation's id has a slash in it. */
function keyOf({ conversationId, messageId }: IndexJob): string {
  return messageId === undefined ? conversationId : `${conversationId}/${messageId}`;
}
