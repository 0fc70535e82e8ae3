import { isDatabaseDown, storageUnavailable } from './storage-unavailable.ts';

export interface BatcherOptions {
  /** How many batches may be in flight at a time. */
  readonly concurrency: number;
  readonly maxItems?: number | undefined;
  /**
   * Greatest sum of the items' lengths, in characters. A single longer item makes a batch by
   * itself.
   */
  readonly maxLength?: number | undefined;
  /** Milliseconds of a monotonic clock. */
  readonly now?: (() => number) | undefined;
}

/** A call that is older is not sent any more: the database could not take it in time. */
const longestWaitMs = 3_000;
/** How many calls of a failed batch are sent at a time. */
const singlesInFlight = 4;

interface Waiting<Result> {
  readonly addedAt: number;
  readonly key: string;
  readonly item: string;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Sends concurrent calls in batches: calls that arrive while batches are in flight wait and form
 * the next batch. A call without company is sent at once.
 *
 * When a batch fails, each of its calls is sent by itself, so that one bad call fails alone. A call
 * that has waited for {@link longestWaitMs} is rejected, so that all end soon when every batch
 * waits for the same lock.
 */
export class Batcher<Result> {
  readonly #send: (items: readonly string[]) => Promise<readonly Result[]>;
  readonly #concurrency: number;
  readonly #maxItems: number;
  readonly #maxLength: number;
  readonly #now: () => number;
  #waiting: Waiting<Result>[] = [];
  #inFlight = 0;
  #isScheduled = false;

  /** @param send resolves to one result for each item, in their order. */
  constructor(
    send: (items: readonly string[]) => Promise<readonly Result[]>,
    { concurrency, maxItems = 100, maxLength = 1_000_000, now = monotonicMs }: BatcherOptions,
  ) {
    this.#send = send;
    this.#concurrency = concurrency;
    this.#maxItems = maxItems;
    this.#maxLength = maxLength;
    this.#now = now;
  }

  /**
   * @param key orders the items of a batch. All processes lock rows in this order, which prevents
   * deadlocks.
   */
  add(key: string, item: string): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ addedAt: this.#now(), key, item, resolve, reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled || this.#inFlight >= this.#concurrency) return;
    this.#isScheduled = true;
    // Calls made in the same turn of the event loop form one batch.
    setImmediate(() => {
      this.#isScheduled = false;
      while (this.#waiting.length > 0 && this.#inFlight < this.#concurrency) {
        const batch = this.#takeBatch();
        if (batch.length > 0) void this.#run(batch);
      }
    });
  }

  #takeBatch(): readonly Waiting<Result>[] {
    this.#waiting = this.#waiting.filter((one) => !this.#refuseLate(one));
    let length = 0;
    let count = 0;
    for (const { item } of this.#waiting) {
      length += item.length;
      if (count > 0 && (length > this.#maxLength || count >= this.#maxItems)) break;
      count += 1;
    }
    const batch = this.#waiting.slice(0, count);
    this.#waiting = this.#waiting.slice(count);
    return batch.toSorted((one, other) => (one.key < other.key ? -1 : one.key > other.key ? 1 : 0));
  }

  async #run(batch: readonly Waiting<Result>[]): Promise<void> {
    this.#inFlight += 1;
    try {
      const results = await this.#send(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
    } catch (error) {
      await this.#runOneByOne(batch, error);
    }
    this.#inFlight -= 1;
    if (this.#waiting.length > 0) this.#schedule();
  }

  async #runOneByOne(batch: readonly Waiting<Result>[], error: unknown): Promise<void> {
    if (batch.length === 1 || isDatabaseDown(error)) {
      for (const { reject } of batch) reject(error);
      return;
    }
    const remaining = [...batch];
    const sendRemaining = async (): Promise<void> => {
      for (let one = remaining.shift(); one !== undefined; one = remaining.shift()) {
        if (!this.#refuseLate(one, error)) await this.#runAlone(one);
      }
    };
    await Promise.all(Array.from({ length: singlesInFlight }, sendRemaining));
  }

  async #runAlone({ item, reject, resolve }: Waiting<Result>): Promise<void> {
    try {
      const [result] = await this.#send([item]);
      resolve(result as Result);
    } catch (error) {
      reject(error);
    }
  }

  /** @returns whether the call has waited too long, and was rejected. */
  #refuseLate({ addedAt, reject }: Waiting<Result>, cause?: unknown): boolean {
    const isLate = this.#now() - addedAt > longestWaitMs;
    if (isLate) reject(storageUnavailable(cause));
    return isLate;
  }
}

function monotonicMs(): number {
  // oxlint-disable-next-line halyard/no-wall-clock -- measures a duration
  return performance.now();
}
