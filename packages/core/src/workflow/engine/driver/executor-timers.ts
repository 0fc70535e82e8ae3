import type { Executor } from './executor.ts';

/** An execution that is due later than this gets no timer: a sweep finds it in time. */
const longestTimerMs = 60_000;

/**
 * Renews an executor's leases and sweeps at an interval, wakes sleeping executions on time with one
 * timer for the next that is due, and claims what other processes announce.
 */
export class ExecutorTimers {
  readonly #executor: Executor;
  readonly #intervalMs: number;
  readonly #now: () => number;
  #interval: NodeJS.Timeout | undefined;
  #unwatch: (() => void) | undefined;
  #isRenewing = false;
  #isSweeping = false;
  #mustSweepAgain = false;
  #next: { readonly at: number; readonly timer: NodeJS.Timeout } | undefined;

  constructor(executor: Executor, { intervalMs, now }: { readonly intervalMs: number; readonly now: () => number }) {
    this.#executor = executor;
    this.#intervalMs = intervalMs;
    this.#now = now;
    executor.onSleep = (dueInMs) => this.#sweepIn(dueInMs);
  }

  start(): void {
    this.#interval ??= setInterval(() => void this.#renewAndSweep(), this.#intervalMs).unref();
    this.#unwatch ??= this.#executor.watchDue();
    void this.#renewAndSweep();
  }

  stop(): void {
    this.#unwatch?.();
    this.#unwatch = undefined;
    clearInterval(this.#interval);
    clearTimeout(this.#next?.timer);
    this.#interval = undefined;
    this.#next = undefined;
  }

  /** While the store is slow, intervals without a response are left out. */
  async #renewAndSweep(): Promise<void> {
    if (this.#isRenewing) return;
    this.#isRenewing = true;
    await this.#executor.renew();
    this.#isRenewing = false;
    await this.#sweep();
  }

  /**
   * One at a time, so that a slow store gets no second one. A renewal is sent meanwhile, but a
   * store may let it wait for the claim of this process that it is carrying out.
   */
  async #sweep(): Promise<void> {
    this.#mustSweepAgain = this.#isSweeping;
    if (this.#isSweeping) return;
    this.#isSweeping = true;
    do {
      this.#mustSweepAgain = false;
      void this.#deliverEvents();
      await this.#executor.sweep();
    } while (this.#mustSweepAgain && this.#interval !== undefined);
    this.#isSweeping = false;
  }

  /** Nothing waits for it. */
  async #deliverEvents(): Promise<void> {
    if (await this.#executor.deliverEvents()) this.#sweepIn(0);
  }

  #sweepIn(waitMs: number): void {
    if (this.#interval === undefined || waitMs > longestTimerMs) return;
    const at = this.#now() + waitMs;
    if (this.#next !== undefined && this.#next.at <= at) return;
    clearTimeout(this.#next?.timer);
    const timer = setTimeout(
      () => {
        this.#next = undefined;
        void this.#sweep();
      },
      Math.max(0, waitMs),
    );
    this.#next = { at, timer };
  }
}
