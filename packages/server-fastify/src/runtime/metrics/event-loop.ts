import { type EventLoopUtilization, monitorEventLoopDelay, performance } from 'node:perf_hooks';

const resolutionMs = 20;
/**
 * How long a measurement continues. Several readers, such as two Prometheus servers, do not end
 * each other's.
 */
const windowMs = 10_000;
/** A state is the same for everything that one scrape reads. */
const sameScrapeMs = 500;

type DelayHistogram = ReturnType<typeof monitorEventLoopDelay>;

export interface EventLoopState {
  readonly p50Seconds: number;
  readonly p99Seconds: number;
  /** From 0 to 1. */
  readonly utilization: number;
}

/** Measures the event loop from {@link start} to {@link stop}. */
export class EventLoop {
  #histogram: DelayHistogram | undefined;
  #windowStart = performance.eventLoopUtilization();
  #state: EventLoopState | undefined;
  #readAtMs = 0;

  start(): void {
    this.#histogram = monitorEventLoopDelay({ resolution: resolutionMs });
    this.#histogram.enable();
    this.#windowStart = performance.eventLoopUtilization();
  }

  stop(): void {
    this.#histogram?.disable();
    this.#histogram = undefined;
    this.#state = undefined;
  }

  /**
   * The state in the current window, which began at most 10 seconds before the previous call.
   * Undefined while it measures nothing.
   */
  read(): EventLoopState | undefined {
    const histogram = this.#histogram;
    if (histogram === undefined) return undefined;
    const now = performance.eventLoopUtilization();
    if (this.#state !== undefined && lifetimeMs(now) - this.#readAtMs < sameScrapeMs) return this.#state;
    this.#readAtMs = lifetimeMs(now);
    this.#state = {
      p50Seconds: delaySeconds(histogram, 50),
      p99Seconds: delaySeconds(histogram, 99),
      utilization: performance.eventLoopUtilization(now, this.#windowStart).utilization,
    };
    if (lifetimeMs(now) - lifetimeMs(this.#windowStart) >= windowMs) {
      histogram.reset();
      this.#windowStart = now;
    }
    return this.#state;
  }
}

function lifetimeMs({ active, idle }: EventLoopUtilization): number {
  return active + idle;
}

/** The histogram measures the whole interval, in nanoseconds. */
function delaySeconds(histogram: DelayHistogram, percentile: number): number {
  return Math.max(0, histogram.percentile(percentile) / 1e9 - resolutionMs / 1e3);
}
