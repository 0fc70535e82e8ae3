/**
 * Values in the order of a comparison, which must return 0 only for the same value. Adding at the
 * end and removing at the start are cheap.
 */
export class SortedArray<Value> {
  readonly #compare: (one: Value, other: Value) => number;
  #values: (Value | undefined)[] = [];
  /** The values before this place have been removed. */
  #start = 0;

  constructor(compare: (one: Value, other: Value) => number) {
    this.#compare = compare;
  }

  get size(): number {
    return this.#values.length - this.#start;
  }

  get first(): Value | undefined {
    return this.#values[this.#start];
  }

  get last(): Value | undefined {
    return this.size === 0 ? undefined : this.#values.at(-1);
  }

  add(value: Value): void {
    const { last } = this;
    if (last === undefined || this.#compare(last, value) < 0) this.#values.push(value);
    else this.#values.splice(this.#findIndex(value), 0, value);
  }

  /**
   * Removes a value, if it is in the array. To be called before a field changes that the order
   * depends on.
   */
  remove(value: Value): void {
    if (value === this.first) {
      this.#removeFirst();
      return;
    }
    const place = this.#findIndex(value);
    if (this.#values[place] === value) this.#values.splice(place, 1);
  }

  /** @returns the removed values. */
  removeWhere(isRemoved: (value: Value) => boolean): readonly Value[] {
    const values = [...this.ascending()];
    this.#values = values.filter((value) => !isRemoved(value));
    this.#start = 0;
    return values.filter(isRemoved);
  }

  *ascending(): Generator<Value, void, undefined> {
    for (let place = this.#start; place < this.#values.length; place += 1) {
      const value = this.#values[place];
      if (value !== undefined) yield value;
    }
  }

  *descending(): Generator<Value, void, undefined> {
    for (let place = this.#values.length - 1; place >= this.#start; place -= 1) {
      const value = this.#values[place];
      if (value !== undefined) yield value;
    }
  }

  /**
   * A page of the matching values, in descending order by default, and how many match in all.
   * Without a condition it reads no further than the page.
   */
  page(
    matches: ((value: Value) => boolean) | undefined,
    {
      limit,
      offset,
      direction = 'desc',
    }: { readonly limit: number; readonly offset: number; readonly direction?: 'asc' | 'desc' },
  ): { readonly page: readonly Value[]; readonly total: number } {
    const page: Value[] = [];
    let total = 0;
    for (const value of direction === 'asc' ? this.ascending() : this.descending()) {
      if (matches?.(value) === false) continue;
      if (total >= offset && page.length < limit) page.push(value);
      total += 1;
      if (matches === undefined && page.length === limit) return { page, total: this.size };
    }
    return { page, total };
  }

  #removeFirst(): void {
    this.#values[this.#start] = undefined;
    this.#start += 1;
    if (this.#start * 2 <= this.#values.length) return;
    this.#values = this.#values.slice(this.#start);
    this.#start = 0;
  }

  /** The place of the first value that does not come before this one. */
  #findIndex(value: Value): number {
    let low = this.#start;
    let high = this.#values.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.#values[middle];
      if (other !== undefined && this.#compare(other, value) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
