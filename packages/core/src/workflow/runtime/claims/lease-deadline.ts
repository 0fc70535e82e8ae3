/** Calls back when a lease has ended by the monotonic clock of this process, whether or not the store can be reached: from then on, another process may have it. */
export class LeaseDeadline {
  readonly #leaseMs: number;
  readonly #onEnd: () => void;
  #timer: NodeJS.Timeout | undefined;

  /** @param requestedAt when the lease was requested, by {@link leaseTime}. The store grants it later, so that it ends here first. */
  constructor(leaseMs: number, requestedAt: number, onEnd: () => void) {
    this.#leaseMs = leaseMs;
    this.#onEnd = onEnd;
    this.renewed(requestedAt);
  }

  renewed(requestedAt: number): void {
    this.clear();
    this.#timer = setTimeout(this.#onEnd, requestedAt + this.#leaseMs - leaseTime()).unref();
  }

  clear(): void {
    clearTimeout(this.#timer);
  }
}

/** Monotonic, as timers are: a change of the system's time ends no lease. */
export function leaseTime(): number {
  // oxlint-disable-next-line halyard/no-wall-clock -- not the time of day
  return performance.now();
}
