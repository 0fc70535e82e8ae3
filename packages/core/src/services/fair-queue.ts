/**
 * The items of one subject. Taken ones are removed many at a time, because that moves all others.
 */
class Line<Item> {
  readonly #items: Item[] = [];
  #taken = 0;

  get length(): number {
    return this.#items.length - this.#taken;
  }

  get oldest(): Item | undefined {
    return this.#items[this.#taken];
  }

  add(item: Item): void {
    this.#items.push(item);
  }

  removeOldest(): void {
    this.#taken += 1;
    if (this.#taken * 2 < this.#items.length) return;
    this.#items.splice(0, this.#taken);
    this.#taken = 0;
  }

  removeNewest(): Item | undefined {
    return this.#items.pop();
  }
}

/**
 * Waiting items of several subjects, which take turns: nobody waits for all items of another
 * subject.
 */
export class FairQueue<Item> {
  /** The subject whose turn is next comes first. No line is empty. */
  readonly #lines = new Map<string, Line<Item>>();
  /** The subjects by the length of their lines. No set is empty. */
  readonly #byLength = new Map<number, Set<string>>();
  #longest = 0;
  #size = 0;

  /** How many items wait. */
  get size(): number {
    return this.#size;
  }

  add(subject: string, item: Item): void {
    const line = this.#lines.get(subject) ?? new Line();
    this.#lines.set(subject, line);
    line.add(item);
    this.#count(subject, line.length - 1, line.length);
  }

  /**
   * Removes the oldest item of the first subject that may have it. This subject comes last then.
   */
  take(mayTake: (subject: string, oldest: Item) => boolean): Item | undefined {
    for (const [subject, line] of this.#lines) {
      const { oldest } = line;
      if (oldest === undefined || !mayTake(subject, oldest)) continue;
      line.removeOldest();
      this.#lines.delete(subject);
      if (line.length > 0) this.#lines.set(subject, line);
      this.#count(subject, line.length + 1, line.length);
      return oldest;
    }
    return undefined;
  }

  /** Removes the newest item of a subject that has the most. */
  dropNewest(): Item | undefined {
    const [subject] = this.#byLength.get(this.#longest) ?? [];
    const line = subject === undefined ? undefined : this.#lines.get(subject);
    if (subject === undefined || line === undefined) return undefined;
    const newest = line.removeNewest();
    if (line.length === 0) this.#lines.delete(subject);
    this.#count(subject, line.length + 1, line.length);
    return newest;
  }

  /** Notes the new length of a line, which has one item more or less. */
  #count(subject: string, before: number, length: number): void {
    this.#size += length - before;
    const former = this.#byLength.get(before);
    former?.delete(subject);
    if (former?.size === 0) this.#byLength.delete(before);
    if (length > 0) {
      const equal = this.#byLength.get(length) ?? new Set();
      this.#byLength.set(length, equal.add(subject));
    }
    if (length > this.#longest || !this.#byLength.has(this.#longest)) this.#longest = length;
  }
}
