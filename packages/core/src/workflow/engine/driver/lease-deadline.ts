/**
 * Calls back when the lease of this process has ended by its monotonic clock, whether or not the
 * store can be reached: from then on, another process may have its executions.
 */
export class LeaseDeadline {
  readonly #leaseMs: number;
  readonly #onEnd: () => void;
  #requestedAt = -Infinity;
  #timer: NodeJS.Timeout | undefined;

  constructor(leaseMs: number, onEnd: () => void) {
    this.#leaseMs = leaseMs;
    this.#onEnd = onEnd;
  }

  /**
   * @param requestedAt when the lease was requested, by {@link leaseTime}. The store grants it
   * later, so that it ends here first.
   */
  extend(requestedAt: number): void {
    if (requestedAt < this.#requestedAt) return;
    this.#requestedAt = requestedAt;
    clearTimeout(this.#timer);
    const leftMs = requestedAt + this.#leaseMs - leaseTime();
    // The reply may arrive after the end of the lease.
    this.#timer = setTimeout(this.#onEnd, Math.max(0, leftMs)).unref();
  }

  /**
   * Calls back now if the lease has ended and its timer has not run yet: the process may have been
   * paused, or blocked.
   */
  check(): void {
    if (leaseTime() < this.#requestedAt + this.#leaseMs || this.#requestedAt === -Infinity) return;
    this.clear();
    this.#onEnd();
  }

  /** To be called when the process runs nothing. */
  clear(): void {
    this.#requestedAt = -Infinity;
    clearTimeout(this.#timer);
  }
}

/** Monotonic, as timers are: a change of the system's time ends no lease. */
export function leaseTime(): number {
  // oxlint-disable-next-line halyard/no-wall-clock -- not the time of day
  return performance.now();
}
