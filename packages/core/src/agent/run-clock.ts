import { AbortedError, type Clock, TimeLimitError } from '@halyard/contracts';
import { longestTimerMs } from '../tool/run-tool.ts';
import type { AgentTimeouts } from './agent-options.ts';

/**
 * The abort signal of a run and its time limits: one timer, armed for whichever limit comes next.
 *
 * `signal` is aborted by the caller's signal, by a consumer that stopped reading, or by a limit; {@link failure} tells which.
 */
export class RunClock {
  readonly #controller = new AbortController();
  readonly #clock: Clock;
  readonly #timeouts: AgentTimeouts;
  readonly #outer: AbortSignal | undefined;
  readonly #endsAt: number;
  #stepEndsAt = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(clock: Clock, timeouts: AgentTimeouts, outer: AbortSignal | undefined) {
    this.#clock = clock;
    this.#timeouts = timeouts;
    this.#outer = outer;
    this.#endsAt = clock.now() + timeouts.totalMs;
    if (outer?.aborted === true) this.abort(outer.reason);
    else outer?.addEventListener('abort', this.#onOuterAbort, { once: true });
    this.endStep();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** @throws what the run was stopped for. */
  check(): void {
    if (this.signal.aborted) throw this.failure();
  }

  /** The limit that was exceeded, else that the run was aborted. */
  failure(): Error {
    const reason: unknown = this.signal.reason;
    return reason instanceof TimeLimitError || reason instanceof AbortedError
      ? reason
      : new AbortedError({ cause: reason });
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason);
  }

  /** A model call begins: first token, step and run limits apply, whichever comes first. */
  startStep(streaming: boolean): void {
    this.#stepEndsAt = this.#clock.now() + this.#timeouts.stepMs;
    const { firstTokenMs } = this.#timeouts;
    if (streaming && firstTokenMs < this.#timeouts.stepMs)
      this.#arm(this.#clock.now() + firstTokenMs, 'The first token', firstTokenMs);
    else this.#armStep();
  }

  firstToken(): void {
    this.#armStep();
  }

  /** The model has answered; only the limit of the run applies. */
  endStep(): void {
    this.#arm(Infinity, '', 0);
  }

  /** The run is over: no timer and no listener stays. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener('abort', this.#onOuterAbort);
  }

  readonly #onOuterAbort = (): void => this.abort(this.#outer?.reason);

  #armStep(): void {
    this.#arm(this.#stepEndsAt, 'A step', this.#timeouts.stepMs);
  }

  #arm(at: number, what: string, limitMs: number): void {
    clearTimeout(this.#timer);
    const total = at >= this.#endsAt;
    const waitMs = Math.min(longestTimerMs, Math.max(0, (total ? this.#endsAt : at) - this.#clock.now()));
    this.#timer = setTimeout(
      () =>
        this.abort(total ? new TimeLimitError('The run', this.#timeouts.totalMs) : new TimeLimitError(what, limitMs)),
      waitMs,
    );
  }
}
