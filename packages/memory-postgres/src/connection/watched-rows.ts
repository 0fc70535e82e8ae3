export type Change = 'commit' | 'signal';
type Listener = (change: Change) => void;

/** The listeners of this process for changes of rows, by the rows' ids. */
export class WatchedRows {
  readonly #readStates: (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  readonly #listeners = new Map<string, Set<Listener>>();
  #lastStates: ReadonlyMap<string, string> = new Map();

  /** @param readStates reads a text for each row that differs after each change. */
  constructor(readStates: (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>) {
    this.#readStates = readStates;
  }

  /** @returns a function that removes the listener. */
  watch(id: string, listener: Listener): () => void {
    // The same function may be registered twice.
    const entry: Listener = (change) => listener(change);
    const listeners = this.#listeners.get(id) ?? new Set();
    this.#listeners.set(id, listeners.add(entry));
    return () => {
      listeners.delete(entry);
      if (listeners.size === 0 && this.#listeners.get(id) === listeners) this.#listeners.delete(id);
    };
  }

  notify(id: string, change: Change): void {
    // A copy, because listeners may add and remove listeners.
    for (const listener of Array.from(this.#listeners.get(id) ?? [])) {
      try {
        listener(change);
      } catch {
        // The write has succeeded: an error of a listener must not reach the writer.
      }
    }
  }

  /** Notifies all listeners, because any row may have changed. */
  notifyAll(): void {
    for (const id of Array.from(this.#listeners.keys())) this.#notifyOfBoth(id);
  }

  /** Reads the state of all watched rows and notifies the listeners of those that differ from the last poll. A row is also notified when it is polled first. */
  async poll(): Promise<void> {
    const ids = Array.from(this.#listeners.keys());
    if (ids.length === 0) return;
    const found = await this.#readStates(ids);
    const before = this.#lastStates;
    this.#lastStates = new Map(ids.map((id) => [id, found.get(id) ?? 'deleted']));
    for (const [id, state] of this.#lastStates) if (before.get(id) !== state) this.#notifyOfBoth(id);
  }

  #notifyOfBoth(id: string): void {
    this.notify(id, 'commit');
    this.notify(id, 'signal');
  }
}
