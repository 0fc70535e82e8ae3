import type { RunResult } from './run-result.ts';

/** What those who wait for an execution learn. `elsewhere`: this process does not run it, or no longer; ask the store. */
export type RestNews = RunResult | 'elsewhere';

/** Those who wait until an execution comes to rest in this process. */
export class RestWaiters {
  readonly #waiting = new Map<string, Set<(news: RestNews) => void>>();

  get count(): number {
    return this.#waiting.size;
  }

  /** @returns a function that stops waiting. */
  add(executionId: string, listener: (news: RestNews) => void): () => void {
    const listeners = this.#waiting.get(executionId) ?? new Set();
    this.#waiting.set(executionId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#waiting.get(executionId) === listeners) this.#waiting.delete(executionId);
    };
  }

  tell(executionId: string, news: RestNews): void {
    const listeners = this.#waiting.get(executionId);
    if (listeners === undefined) return;
    for (const listener of listeners) listener(news);
  }
}
