/** A set for each key that has items, in the order in which they were added. */
export class SetsByKey<Item> {
  readonly #sets = new Map<string, Set<Item>>();

  get(key: string): ReadonlySet<Item> {
    return this.#sets.get(key) ?? new Set();
  }

  add(key: string, item: Item): void {
    this.#sets.set(key, (this.#sets.get(key) ?? new Set()).add(item));
  }

  delete(key: string, item: Item): void {
    const set = this.#sets.get(key);
    set?.delete(item);
    if (set?.size === 0) this.#sets.delete(key);
  }
}
