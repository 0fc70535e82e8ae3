/**
 * A map whose entries come and go by the thousand.
 *
 * V8 keeps the table of a long-lived Map among the old objects, and when it makes room, the table that it leaves there holds on to what was in
 * it until the next full collection: every entry that was in the map at that moment, with all that hangs on it. Here that is a small cell, which is emptied when its entry
 * is taken out.
 */
export class TransientMap<Key, Value> {
  readonly #cells = new Map<Key, Cell<Value>>();

  get size(): number {
    return this.#cells.size;
  }

  has(key: Key): boolean {
    return this.#cells.has(key);
  }

  get(key: Key): Value | undefined {
    return this.#cells.get(key)?.value;
  }

  set(key: Key, value: Value): void {
    const cell = this.#cells.get(key);
    if (cell === undefined) this.#cells.set(key, new Cell(value));
    else cell.value = value;
  }

  delete(key: Key): void {
    const cell = this.#cells.get(key);
    if (cell === undefined) return;
    cell.value = undefined;
    this.#cells.delete(key);
  }

  *entries(): Generator<[Key, Value]> {
    for (const [key, { value }] of this.#cells) if (value !== undefined) yield [key, value];
  }

  *values(): Generator<Value> {
    for (const [, value] of this.entries()) yield value;
  }
}

class Cell<Value> {
  value: Value | undefined;

  constructor(value: Value) {
    this.value = value;
  }
}
