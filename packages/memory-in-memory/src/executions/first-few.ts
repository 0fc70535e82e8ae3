/** The first `count` values of an order, found without sorting all the others. */
export class FirstFew<Value> {
  readonly #count: number;
  readonly #compare: (one: Value, other: Value) => number;
  #values: Value[] = [];
  /** The last of those that are first so far, once there are enough. */
  #last: Value | undefined = undefined;

  constructor(count: number, compare: (one: Value, other: Value) => number) {
    this.#count = count;
    this.#compare = compare;
  }

  add(value: Value): void {
    if (this.#last !== undefined && this.#compare(value, this.#last) >= 0) return;
    this.#values.push(value);
    if (this.#values.length < 2 * this.#count) return;
    this.#values = this.inOrder();
    this.#last = this.#values.at(-1);
  }

  inOrder(): Value[] {
    return this.#values.toSorted(this.#compare).slice(0, this.#count);
  }
}
