import type { IngressClient } from './ingress-client.ts';
import type { Version } from './objects/protocol.ts';

type Change = 'commit' | 'signal';
type Listener = (change: Change) => void;

/** The first and the longest pause between two looks at an execution of another process. */
const firstPollMs = 50;
const longestPollMs = 1_000;

interface Watch {
  readonly listeners: Set<Listener>;
  timer: NodeJS.Timeout | undefined;
  version: Version | undefined;
  pauseMs: number;
}

/**
 * Tells of changes: at once of those that this process makes or that its runs are told of, and by
 * looking at the version of what others run. The pause between two looks grows while nothing
 * changes.
 */
export class Watches {
  readonly #client: IngressClient;
  readonly #watches = new Map<string, Watch>();
  /** How many runs of an execution this process drives: it need not look. */
  readonly #driven = new Map<string, number>();

  constructor(client: IngressClient) {
    this.#client = client;
  }

  add(id: string, listener: Listener): () => void {
    const watch = this.#watches.get(id) ?? {
      listeners: new Set(),
      timer: undefined,
      version: undefined,
      pauseMs: firstPollMs,
    };
    this.#watches.set(id, watch);
    // One entry per call, so that the same listener can be added twice.
    const entry: Listener = (change) => listener(change);
    watch.listeners.add(entry);
    watch.pauseMs = firstPollMs;
    this.#plan(id, watch);
    return () => {
      watch.listeners.delete(entry);
      if (watch.listeners.size > 0 || this.#watches.get(id) !== watch) return;
      clearTimeout(watch.timer);
      this.#watches.delete(id);
    };
  }

  notify(id: string, change: Change): void {
    for (const listener of Array.from(this.#watches.get(id)?.listeners ?? [])) {
      try {
        listener(change);
      } catch {
        // The write has succeeded: an error of a listener must not fail it.
      }
    }
  }

  /** Runs of this process report their changes. @returns a function that ends it. */
  drive(id: string): () => void {
    this.#driven.set(id, (this.#driven.get(id) ?? 0) + 1);
    return () => {
      const left = (this.#driven.get(id) ?? 1) - 1;
      if (left > 0) this.#driven.set(id, left);
      else this.#driven.delete(id);
    };
  }

  close(): void {
    for (const { timer } of this.#watches.values()) clearTimeout(timer);
    this.#watches.clear();
  }

  #plan(id: string, watch: Watch): void {
    clearTimeout(watch.timer);
    watch.timer = setTimeout(() => void this.#look(id, watch), watch.pauseMs).unref();
  }

  async #look(id: string, watch: Watch): Promise<void> {
    watch.pauseMs = Math.min(watch.pauseMs * 1.5, longestPollMs);
    if (!this.#driven.has(id)) {
      // Without an answer, it looks again.
      const version = await this.#client.call('execution', id, 'version', undefined).catch(() => watch.version);
      const before = watch.version;
      watch.version = version;
      // The watch may have begun after the first change.
      if (version !== undefined && version.revision !== before?.revision) {
        watch.pauseMs = firstPollMs;
        this.notify(id, version.signals === (before?.signals ?? 0) ? 'commit' : 'signal');
      }
    }
    if (this.#watches.get(id) === watch) this.#plan(id, watch);
  }
}
