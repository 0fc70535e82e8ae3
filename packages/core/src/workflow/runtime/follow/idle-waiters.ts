import type { RunResult } from '../run-result.ts';

/** What those who wait for an execution learn. `elsewhere`: this process does not run it, or no longer; ask the store. */
export type RestNews = RunResult | 'elsewhere';

/** Those who wait until an execution comes to rest in this process. */
export class IdleWaiters {
  readonly #waiting = new Map<string, readonly ((news: RestNews) => void)[]>();

  get count(): number {
    return this.#waiting.size;
  }

  /** @returns a function that stops waiting. */
  add(executionId: string, listener: (news: RestNews) => void): () => void {
    const others = this.#waiting.get(executionId);
    this.#waiting.set(executionId, others === undefined ? [listener] : [...others, listener]);
    return () => {
      const left = this.#waiting.get(executionId)?.filter((one) => one !== listener) ?? [];
      if (left.length === 0) this.#waiting.delete(executionId);
      else this.#waiting.set(executionId, left);
    };
  }

  tell(executionId: string, news: RestNews): void {
    const listeners = this.#waiting.get(executionId);
    if (listeners === undefined) return;
    for (const listener of listeners) listener(news);
  }
}
