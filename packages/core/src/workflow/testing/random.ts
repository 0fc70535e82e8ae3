/** Random numbers that are the same for the same seed. */
export class Random {
  #state: number;

  constructor(seed: number) {
    // Neighbouring seeds must not start with similar numbers.
    this.#state = Math.imul(seed ^ 0x9e37_79b9, 0x85eb_ca6b);
  }

  /** At least 0, less than 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b_79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** An integer from 0 to `limit - 1`. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** An integer from `min` to `max`, both included. */
  between(min: number, max: number): number {
    return min + this.below(max - min + 1);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<Item>(items: readonly [Item, ...Item[]]): Item {
    return items[this.below(items.length)] ?? items[0];
  }
}
