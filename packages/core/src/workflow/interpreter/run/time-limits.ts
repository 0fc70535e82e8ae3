import { longestTimerMs } from '../../../async/longest-timer.ts';

/**
 * The time limits of the workflows in one run. They are cleared when the run ends, so that a
 * waiting execution holds no timer.
 */
export class TimeLimits {
  readonly #timers = new Set<NodeJS.Timeout>();

  /**
   * Calls back after each period of `limitMs`.
   *
   * @returns a function that stops it.
   */
  add(limitMs: number, onTimeUp: () => void): () => void {
    const timer = setInterval(onTimeUp, Math.min(limitMs, longestTimerMs));
    this.#timers.add(timer);
    return () => {
      clearInterval(timer);
      this.#timers.delete(timer);
    };
  }

  clear(): void {
    for (const timer of this.#timers) clearInterval(timer);
    this.#timers.clear();
  }
}
