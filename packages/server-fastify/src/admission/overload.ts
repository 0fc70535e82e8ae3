/** How often the mean delay is checked. */
const windowMs = 1_000;
/** How often the delay is measured. */
const resolutionMs = 20;

/**
 * Whether the process has more work than it can do: the mean delay of its event loop is above a
 * bound in two windows of a second in a row. A single stall, such as a pause of the process, does
 * not count.
 */
export class Overload {
  readonly #maxDelayMs: number;
  #wasSlow = false;
  #isOverloaded = false;
  #timer: NodeJS.Timeout | undefined;

  /** @param maxDelayMs the highest mean delay of a server that keeps up. */
  constructor(maxDelayMs: number) {
    this.#maxDelayMs = maxDelayMs;
  }

  get isOverloaded(): boolean {
    return this.#isOverloaded;
  }

  /**
   * Measures until {@link stop}. Requests cost nothing.
   *
   * Not with Node's `monitorEventLoopDelay`: after each reset it ignores the first turn, which may
   * be the only one of a window.
   */
  start(now: () => number = monotonicNow): void {
    let last = now();
    let windowStart = last;
    let delays: number[] = [];
    this.#timer = setInterval(() => {
      const at = now();
      delays.push(Math.max(0, at - last - resolutionMs));
      last = at;
      if (at - windowStart < windowMs) return;
      this.add(delays.reduce((sum, delay) => sum + delay, 0) / delays.length);
      windowStart = at;
      delays = [];
    }, resolutionMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Adds the mean delay of one window. */
  add(delayMs: number): void {
    const isSlow = delayMs > this.#maxDelayMs;
    this.#isOverloaded = isSlow && this.#wasSlow;
    this.#wasSlow = isSlow;
  }
}

function monotonicNow(): number {
  // oxlint-disable-next-line halyard/no-wall-clock -- not the time of day
  return performance.now();
}
