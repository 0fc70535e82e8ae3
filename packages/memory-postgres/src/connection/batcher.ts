import { isHalyardError } from '@halyard/contracts';
import { isOfStatement } from './storage-unavailable.ts';

export interface BatcherOptions {
  /** How many batches may be on their way at once. */
  readonly lanes: number;
  readonly maxItems?: number;
  /** Of the items' lengths. One item may be longer. */
  readonly maxLength?: number;
}

interface Waiting<Answer> {
  readonly key: string;
  readonly item: string;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Joins calls that are made while others are under way: what has gathered goes in one batch as soon as there is a lane for it. A call that comes alone waits for
 * nobody.
 *
 * A batch that the database refuses is sent again one by one: what is wrong with one call harms no other.
 */
export class Batcher<Answer> {
  readonly #send: (items: readonly string[]) => Promise<readonly Answer[]>;
  readonly #lanes: number;
  readonly #maxItems: number;
  readonly #maxLength: number;
  #waiting: Waiting<Answer>[] = [];
  #underWay = 0;
  #isScheduled = false;

  constructor(
    send: (items: readonly string[]) => Promise<readonly Answer[]>,
    { lanes, maxItems = 100, maxLength = 1_000_000 }: BatcherOptions,
  ) {
    this.#send = send;
    this.#lanes = lanes;
    this.#maxItems = maxItems;
    this.#maxLength = maxLength;
  }

  /** @param key the order of items in a batch: those that lock rows must do so in one order everywhere. */
  add(key: string, item: string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ key, item, resolve, reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled || this.#underWay >= this.#lanes) return;
    this.#isScheduled = true;
    // What is called in this turn of the loop goes together.
    setImmediate(() => {
      this.#isScheduled = false;
      while (this.#waiting.length > 0 && this.#underWay < this.#lanes) void this.#run(this.#take());
    });
  }

  #take(): readonly Waiting<Answer>[] {
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

  async #run(batch: readonly Waiting<Answer>[]): Promise<void> {
    this.#underWay += 1;
    try {
      const answers = await this.#send(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(answers[index] as Answer);
    } catch (error) {
      await this.#runOneByOne(batch, error);
    }
    this.#underWay -= 1;
    if (this.#waiting.length > 0) this.#schedule();
  }

  async #runOneByOne(batch: readonly Waiting<Answer>[], error: unknown): Promise<void> {
    if (batch.length === 1 || isAway(error)) {
      for (const { reject } of batch) reject(error);
      return;
    }
    for (const { item, reject, resolve } of batch) {
      try {
        const [answer] = await this.#send([item]);
        resolve(answer as Answer);
      } catch (cause) {
        reject(cause);
      }
    }
  }
}

/** Whether the database is away for all of them. */
function isAway(error: unknown): boolean {
  return isHalyardError(error) && error.kind === 'unavailable' && !isOfStatement(error);
}
