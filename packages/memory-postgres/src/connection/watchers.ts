export type Change = 'commit' | 'signal';
type Listener = (change: Change) => void;

/** Who wants to know in this process when something happens to an execution. */
export class Watchers {
  readonly #listeners = new Map<string, Set<Listener>>();

  /** Those that are watched. */
  get ids(): readonly string[] {
    return [...this.#listeners.keys()];
  }

  add(id: string, listener: Listener): () => void {
    const entry: Listener = (change) => listener(change);
    const listeners = this.#listeners.get(id) ?? new Set();
    this.#listeners.set(id, listeners.add(entry));
    return () => {
      listeners.delete(entry);
      if (listeners.size === 0 && this.#listeners.get(id) === listeners) this.#listeners.delete(id);
    };
  }

  tell(id: string, change: Change): void {
    const listeners = this.#listeners.get(id);
    if (listeners === undefined) return;
    for (const listener of listeners.values().toArray()) {
      try {
        listener(change);
      } catch {
        // What is written is written: a listener's fault is not the writer's.
      }
    }
  }
}
