/** Waiting items of several subjects, which take turns: nobody waits for all items of another subject. */
export class FairQueue<Item> {
  /** The subject whose turn is next comes first. No list is empty. */
  readonly #waiting = new Map<string, Item[]>();
  #size = 0;

  /** How many items wait. */
  get size(): number {
    return this.#size;
  }

  add(subject: string, item: Item): void {
    const items = this.#waiting.get(subject);
    if (items === undefined) this.#waiting.set(subject, [item]);
    else items.push(item);
    this.#size += 1;
  }

  /** Removes the oldest item of the first subject that may have it. The turn of this subject comes last then. */
  take(mayTake: (subject: string, oldest: Item) => boolean): Item | undefined {
    for (const [subject, items] of this.#waiting) {
      const [oldest] = items;
      if (oldest === undefined || !mayTake(subject, oldest)) continue;
      items.shift();
      this.#size -= 1;
      this.#waiting.delete(subject);
      if (items.length > 0) this.#waiting.set(subject, items);
      return oldest;
    }
    return undefined;
  }

  /** Removes the newest item of the subject that has the most. */
  dropNewest(): Item | undefined {
    let [longest, most]: [string, number] = ['', 0];
    for (const [subject, { length }] of this.#waiting) if (length > most) [longest, most] = [subject, length];
    const items = this.#waiting.get(longest);
    const newest = items?.pop();
    if (items?.length === 0) this.#waiting.delete(longest);
    if (most > 0) this.#size -= 1;
    return newest;
  }
}
