/** Waiting items of several subjects, which take turns: nobody waits for all items of another subject. */
export class FairQueue<Item> {
  /** The subject whose turn is next comes first. No list is empty. */
  readonly #waiting = new Map<string, Item[]>();

  add(subject: string, item: Item): void {
    const items = this.#waiting.get(subject);
    if (items === undefined) this.#waiting.set(subject, [item]);
    else items.push(item);
  }

  /** Removes the oldest item of the first subject that may have one. The turn of this subject comes last then. */
  take(mayTake: (subject: string) => boolean): Item | undefined {
    for (const [subject, items] of this.#waiting) {
      if (!mayTake(subject)) continue;
      const item = items.shift();
      this.#waiting.delete(subject);
      if (items.length > 0) this.#waiting.set(subject, items);
      return item;
    }
    return undefined;
  }
}
