/** An array that stays sorted. Finding a place is a binary search; adding and removing move the items behind that place. */
export class SortedList<Item> {
  readonly #compare: (one: Item, other: Item) => number;
  readonly #items: Item[] = [];

  /** @param compare must return 0 only for one and the same item. */
  constructor(compare: (one: Item, other: Item) => number) {
    this.#compare = compare;
  }

  /** The list itself, which changes with later writes. */
  get items(): readonly Item[] {
    return this.#items;
  }

  add(item: Item): void {
    this.#items.splice(this.#placeOf(item), 0, item);
  }

  /** To be called before a field changes that the order depends on. An item that is not in the list is ignored. */
  remove(item: Item): void {
    const place = this.#placeOf(item);
    if (this.#items[place] === item) this.#items.splice(place, 1);
  }

  /** Index of the first item that is not before this one. */
  #placeOf(item: Item): number {
    let low = 0;
    let high = this.#items.length;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const other = this.#items[middle];
      if (other !== undefined && this.#compare(other, item) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** A sorted list for each key that has items. */
export class SortedLists<Item> {
  readonly #compare: (one: Item, other: Item) => number;
  readonly #lists = new Map<string, SortedList<Item>>();

  constructor(compare: (one: Item, other: Item) => number) {
    this.#compare = compare;
  }

  items(key: string): readonly Item[] {
    return this.#lists.get(key)?.items ?? [];
  }

  add(key: string, item: Item): void {
    const list = this.#lists.get(key) ?? new SortedList(this.#compare);
    list.add(item);
    this.#lists.set(key, list);
  }

  remove(key: string, item: Item): void {
    const list = this.#lists.get(key);
    list?.remove(item);
    if (list?.items.length === 0) this.#lists.delete(key);
  }
}
