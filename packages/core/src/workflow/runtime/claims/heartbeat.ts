import type { ExecutionStore } from '@halyard/contracts';
import type { Executor } from './executor.ts';

/** Sleeps that end later than this hold no timer: a sweep finds them again in time. */
const longestTimerMs = 60_000;
/** Between two sweeps, where more is due than there is room for. */
const sweepGapMs = 100;

/** Keeps an executor's leases and its sleepers on time: one interval, and one timer for whoever wakes next. */
export class Heartbeat {
  readonly #executor: Executor;
  readonly #store: ExecutionStore;
  readonly #beatMs: number;
  readonly #now: () => number;
  #interval: NodeJS.Timeout | undefined;
  #wake: { readonly at: number; readonly timer: NodeJS.Timeout } | undefined;

  constructor(
    executor: Executor,
    store: ExecutionStore,
    { beatMs, now }: { readonly beatMs: number; readonly now: () => number },
  ) {
    this.#executor = executor;
    this.#store = store;
    this.#beatMs = beatMs;
    this.#now = now;
    executor.onSleep = (dueAt) => this.#wakeAt(dueAt);
  }

  start(): void {
    this.#interval ??= setInterval(() => void this.#beat(), this.#beatMs).unref();
    void this.#sweep();
  }

  stop(): void {
    clearInterval(this.#interval);
    clearTimeout(this.#wake?.timer);
    this.#interval = undefined;
    this.#wake = undefined;
  }

  async #beat(): Promise<void> {
    await Promise.all([this.#executor.renew(), this.#sweep()]);
  }

  async #sweep(): Promise<void> {
    await this.#executor.sweep();
    const dueInMs = await this.#store.nextDue().catch(() => undefined);
    if (dueInMs !== undefined) this.#wakeAt(this.#now() + (dueInMs === 0 ? sweepGapMs : dueInMs));
  }

  #wakeAt(at: number): void {
    const waitMs = at - this.#now();
    if (this.#interval === undefined || waitMs > longestTimerMs) return;
    if (this.#wake !== undefined && this.#wake.at <= at) return;
    clearTimeout(this.#wake?.timer);
    const timer = setTimeout(
      () => {
        this.#wake = undefined;
        void this.#sweep();
      },
      Math.max(0, waitMs),
    );
    this.#wake = { at, timer };
  }
}
