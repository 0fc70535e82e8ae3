/** A map for what most have nothing of: it is made with its first entry. */
export class SparseMap<Key, Value> {
  #entries: Map<Key, Value> | undefined;

  get size(): number {
    return this.#entries?.size ?? 0;
  }

  has(key: Key): boolean {
    return this.#entries?.has(key) === true;
  }

  get(key: Key): Value | undefined {
    return this.#entries?.get(key);
  }

  set(key: Key, value: Value): void {
    (this.#entries ??= new Map()).set(key, value);
  }

  delete(key: Key): boolean {
    return this.#entries?.delete(key) === true;
  }

  keys(): readonly Key[] {
    return this.#entries === undefined ? [] : [...this.#entries.keys()];
  }

  values(): readonly Value[] {
    return this.#entries === undefined ? [] : [...this.#entries.values()];
  }
}
