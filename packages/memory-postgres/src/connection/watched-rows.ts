export type Change = 'commit' | 'signal';
type Listener = (change: Change) => void;

/** Texts that differ after each change of a row. */
export interface RowState {
  readonly commit: string;
  /** Empty: the row has never had a signal. */
  readonly signal: string;
}

const unread: RowState = { commit: '', signal: '' };
const deleted: RowState = { commit: 'deleted', signal: 'deleted' };

/** The listeners of this process for changes of rows, by the rows' ids. */
export class WatchedRows {
  readonly #readStates: (ids: readonly string[]) => Promise<ReadonlyMap<string, RowState>>;
  readonly #listeners = new Map<string, Set<Listener>>();
  #lastStates: ReadonlyMap<string, RowState> = new Map();

  constructor(readStates: (ids: readonly string[]) => Promise<ReadonlyMap<string, RowState>>) {
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

  /**
   * Reads the state of all watched rows and notifies the listeners of what differs from the last
   * poll. A row that is polled first counts as changed by a commit, and by a signal if it has had
   * one.
   */
  async poll(): Promise<void> {
    const ids = Array.from(this.#listeners.keys());
    if (ids.length === 0) return;
    const found = await this.#readStates(ids);
    const before = this.#lastStates;
    this.#lastStates = new Map(ids.map((id) => [id, found.get(id) ?? deleted]));
    for (const [id, state] of this.#lastStates) {
      const { commit, signal } = before.get(id) ?? unread;
      if (state.commit !== commit) this.notify(id, 'commit');
      if (state.signal !== signal) this.notify(id, 'signal');
    }
  }
}
