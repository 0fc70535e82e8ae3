import { type Link, LinkedList } from '../conversations/linked-list.ts';

/** A list for each key that has values; that of a key whose last value is gone is dropped. */
export class ListsByKey<Value> {
  readonly #lists = new Map<string, LinkedList<Value>>();

  get(key: string): LinkedList<Value> | undefined {
    return this.#lists.get(key);
  }

  add(key: string, value: Value): Link<Value> {
    let list = this.#lists.get(key);
    if (list === undefined) this.#lists.set(key, (list = new LinkedList()));
    return list.add(value);
  }

  /** To be called after a value of this key was taken out. */
  dropEmpty(key: string): void {
    if (this.#lists.get(key)?.size === 0) this.#lists.delete(key);
  }
}
