import { longestTimerMs } from '../../../services/longest-timer.ts';

/** The time limits of the workflows that run in one executionRun: gone with it, so that those that wait hold none. */
export class TimeLimits {
  /** Most have none. */
  #timers: Set<NodeJS.Timeout> | undefined;

  /**
   * Calls back after this long, and again after as long each.
   *
   * @returns a function that stops it.
   */
  add(limitMs: number, onTimeUp: () => void): () => void {
    const timer = setInterval(onTimeUp, Math.min(limitMs, longestTimerMs));
    (this.#timers ??= new Set()).add(timer);
    return () => {
      clearInterval(timer);
      this.#timers?.delete(timer);
    };
  }

  clear(): void {
    for (const timer of this.#timers ?? []) clearInterval(timer);
    this.#timers = undefined;
  }
}
