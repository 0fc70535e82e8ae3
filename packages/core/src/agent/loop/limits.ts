import { AbortedError, TimeLimitError } from '@halyard/contracts';
import { longestTimerMs } from '../../async/longest-timer.ts';
import type { AgentTimeouts } from '../agent-options.ts';

/**
 * The abort signal of a run and its time limits. One timer fires at the limit that comes next.
 *
 * The signal aborts with the caller's, at a limit, and by {@link abort}. {@link failure} is the
 * reason as an error.
 */
export class RunLimits {
  readonly #controller = new AbortController();
  readonly signal: AbortSignal = this.#controller.signal;
  readonly #timeouts: AgentTimeouts;
  readonly #caller: AbortSignal | undefined;
  readonly #runEndsAt: number;
  #firstTokenEndsAt = Infinity;
  #idleEndsAt = Infinity;
  #timer: NodeJS.Timeout | undefined;
  #timerFiresAt = Infinity;

  constructor(timeouts: AgentTimeouts, caller: AbortSignal | undefined) {
    this.#timeouts = timeouts;
    this.#caller = caller;
    this.#runEndsAt = now() + timeouts.totalMs;
    if (caller?.aborted === true) this.abort(caller.reason);
    else caller?.addEventListener('abort', this.#onCallerAbort, { once: true });
    this.#setTimer();
  }

  /** @throws TimeLimitError, AbortedError */
  throwIfAborted(): void {
    if (this.signal.aborted) throw this.failure();
  }

  /** The limit that was exceeded; otherwise an AbortedError. */
  failure(): Error {
    const reason: unknown = this.signal.reason;
    return reason instanceof TimeLimitError || reason instanceof AbortedError
      ? reason
      : new AbortedError({ cause: reason });
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason);
  }

  /** @param limitsFirstToken whether the limit for the first token applies. */
  startModelCall(limitsFirstToken: boolean): void {
    if (limitsFirstToken) this.#firstTokenEndsAt = now() + this.#timeouts.firstTokenMs;
    this.restartIdle();
  }

  firstTokenReceived(): void {
    this.#firstTokenEndsAt = Infinity;
  }

  /** The next data from the model must arrive within the idle limit. */
  restartIdle(): void {
    this.#idleEndsAt = now() + this.#timeouts.stepMs;
    this.#setTimer();
  }

  /** The run waits for something other than the model. */
  pauseIdle(): void {
    this.#idleEndsAt = Infinity;
  }

  /** Removes the timer and the listener at the end of the run. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#caller?.removeEventListener('abort', this.#onCallerAbort);
  }

  readonly #onCallerAbort = (): void => this.abort(this.#caller?.reason);

  /**
   * A timer that is set for an earlier time stays: it is cheaper to set it again when it fires than
   * with each part of a stream.
   */
  #setTimer(): void {
    const nextEndsAt = Math.min(this.#runEndsAt, this.#firstTokenEndsAt, this.#idleEndsAt);
    if (nextEndsAt >= this.#timerFiresAt) return;
    clearTimeout(this.#timer);
    this.#timerFiresAt = nextEndsAt;
    this.#timer = setTimeout(this.#onTimer, Math.min(Math.max(0, nextEndsAt - now()), longestTimerMs));
  }

  readonly #onTimer = (): void => {
    this.#timerFiresAt = Infinity;
    const exceeded = this.#exceededLimit(now());
    if (exceeded === undefined) this.#setTimer();
    else this.abort(exceeded);
  };

  #exceededLimit(time: number): TimeLimitError | undefined {
    const { firstTokenMs, stepMs, totalMs } = this.#timeouts;
    if (time >= this.#runEndsAt) return new TimeLimitError('The run', totalMs);
    if (time >= this.#firstTokenEndsAt) return new TimeLimitError('The first token', firstTokenMs);
    if (time >= this.#idleEndsAt) return new TimeLimitError('The next data from the model', stepMs);
    return undefined;
  }
}

/** Monotonic, as timers are: a change of the system's time ends no run. */
function now(): number {
  // oxlint-disable-next-line halyard/no-wall-clock -- not the time of day
  return performance.now();
}
