type Change = 'commit' | 'signal';
type Listener = (change: Change) => void;

/** Listeners to the changes of executions or streams, by id. */
export class Watchers {
  readonly #listeners = new Map<string, Set<Listener>>();

  /** How many ids are watched. */
  get size(): number {
    return this.#listeners.size;
  }

  /** @returns a function that removes the listener. */
  add(id: string, listener: Listener): () => void {
    // One entry per call, so that the same listener can be added twice.
    const entry: Listener = (change) => listener(change);
    const listeners = this.#listeners.get(id) ?? new Set();
    this.#listeners.set(id, listeners.add(entry));
    return () => {
      listeners.delete(entry);
      if (listeners.size === 0 && this.#listeners.get(id) === listeners) this.#listeners.delete(id);
    };
  }

  notify(id: string, change: Change): void {
    const listeners = this.#listeners.get(id);
    if (listeners === undefined) return;
    for (const listener of Array.from(listeners)) {
      try {
        listener(change);
      } catch {
        // The write has succeeded: an error of a listener must not fail it.
      }
    }
  }
}
