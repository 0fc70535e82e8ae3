import { monitorEventLoopDelay } from 'node:perf_hooks';

/** How often the delay is checked. */
const windowMs = 1_000;
/** How often the delay is measured. */
const resolutionMs = 20;

/**
 * Whether the process has more work than it can do: the delay of its event loop is above a bound in two windows of a second in a row.
 * A single stall, such as a pause of the process, does not count.
 */
export class Overload {
  readonly #maxDelayMs: number;
  #wasSlow = false;
  #isOverloaded = false;
  #histogram: ReturnType<typeof monitorEventLoopDelay> | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** @param maxDelayMs the highest typical delay of a server that keeps up. */
  constructor(maxDelayMs: number) {
    this.#maxDelayMs = maxDelayMs;
  }

  get isOverloaded(): boolean {
    return this.#isOverloaded;
  }

  /** Measures until {@link stop}. Requests cost nothing. */
  start(): void {
    const histogram = monitorEventLoopDelay({ resolution: resolutionMs });
    this.#histogram = histogram;
    histogram.enable();
    this.#timer = setInterval(() => {
      // The median: one stall among many short turns is no overload. The histogram measures the whole interval in nanoseconds.
      this.add(histogram.percentile(50) / 1e6 - resolutionMs);
      histogram.reset();
    }, windowMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#histogram?.disable();
  }

  /** Adds the typical delay of one window. */
  add(delayMs: number): void {
    const isSlow = delayMs > this.#maxDelayMs;
    this.#isOverloaded = isSlow && this.#wasSlow;
    this.#wasSlow = isSlow;
  }
}
