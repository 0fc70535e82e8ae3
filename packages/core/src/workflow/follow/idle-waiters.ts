import type { RunResult } from '../engine/run-result.ts';

/**
 * How an execution left this process: its result, or `elsewhere` when only the store knows its
 * state.
 */
export type LocalOutcome = RunResult | 'elsewhere';

type IdleListener = (outcome: LocalOutcome, creationId: string | undefined) => void;

/** Callbacks for when executions become idle in this process. */
export class IdleWaiters {
  readonly #listeners = new Map<string, readonly IdleListener[]>();

  /** Number of executions with a listener. */
  get count(): number {
    return this.#listeners.size;
  }

  /** @returns a function that removes the listener. */
  add(executionId: string, listener: IdleListener): () => void {
    this.#listeners.set(executionId, [...(this.#listeners.get(executionId) ?? []), listener]);
    return () => {
      const left = this.#listeners.get(executionId)?.filter((other) => other !== listener) ?? [];
      if (left.length === 0) this.#listeners.delete(executionId);
      else this.#listeners.set(executionId, left);
    };
  }

  /** @param creationId of the execution that has the result. */
  notify(executionId: string, outcome: LocalOutcome, creationId?: string): void {
    for (const listener of this.#listeners.get(executionId) ?? []) listener(outcome, creationId);
  }
}
