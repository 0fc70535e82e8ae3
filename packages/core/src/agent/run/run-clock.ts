import { AbortedError, type Clock, TimeLimitError } from '@halyard/contracts';
import { longestTimerMs } from '../../tool/run-tool.ts';
import type { AgentTimeouts, RunOptions } from '../agent-options.ts';
import { type Alarm, alarmAfter, type Sleeper } from './alarm.ts';
import { emptyList, type ShortList, withOne, withoutOne } from './short-list.ts';

/**
 * The abort signal of a run and its time limits: an alarm that it shares with other runs for as long as no limit can have been reached, and then one timer,
 * armed for whichever limit comes next.
 *
 * `signal` is aborted by the caller, by a consumer that stopped reading, or by a limit; {@link failure} tells which.
 */
export class RunClock implements Sleeper {
  // Of the alarm.
  wakesAt = 0;
  before: Sleeper | undefined = undefined;
  behind: Sleeper | undefined = undefined;
  readonly #controller = new AbortController();
  /** Who waits for work of the run. */
  #waiting: ShortList<(reason: unknown) => void> = emptyList;
  readonly #clock: Clock;
  readonly #timeouts: AgentTimeouts;
  readonly #outer: AbortSignal | undefined;
  readonly #endsAt: number;
  #stepEndsAt = 0;
  /** The limit that comes next. */
  #nextAt: number;
  #nextWhat: string;
  #nextMs: number;
  /** What it waits for. */
  #firesAt: number;
  #alarm: Alarm | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** @param now milliseconds since the epoch. */
  constructor(clock: Clock, timeouts: AgentTimeouts, { signal: outer }: Pick<RunOptions, 'signal'>, now: number) {
    this.#clock = clock;
    this.#timeouts = timeouts;
    this.#outer = outer;
    this.#endsAt = now + timeouts.totalMs;
    this.#nextAt = this.#endsAt;
    this.#nextWhat = 'The run';
    this.#nextMs = timeouts.totalMs;
    if (outer?.aborted === true) this.abort(outer.reason);
    else outer?.addEventListener('abort', this.#onOuterAbort, { once: true });
    const waitMs = this.#waitMs(timeouts.totalMs);
    this.#firesAt = now + waitMs;
    this.#alarm = alarmAfter(waitMs);
    this.#alarm.set(this);
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
    for (const giveUp of this.#waiting) giveUp(reason);
  }

  /**
   * Settles as `work` does, or rejects as soon as the run is stopped: not everything that is waited for listens to the signal.
   * A list of our own: a listener of the signal costs several times as much, and a text is waited for with each request.
   */
  orStopped<Value>(work: PromiseLike<Value>): Promise<Value> {
    const { promise, resolve, reject } = Promise.withResolvers<Value>();
    if (this.signal.aborted) reject(this.signal.reason);
    else this.#waiting = withOne(this.#waiting, reject);
    work.then(
      (value) => {
        this.#waiting = withoutOne(this.#waiting, reject);
        resolve(value);
      },
      (error: unknown) => {
        this.#waiting = withoutOne(this.#waiting, reject);
        reject(error);
      },
    );
    return promise;
  }

  /** A model call begins: first token, step and run limits apply, whichever comes first. @returns when: milliseconds since the epoch. */
  startStep(streaming: boolean): number {
    const now = this.#clock.now();
    this.#stepEndsAt = now + this.#timeouts.stepMs;
    const { firstTokenMs } = this.#timeouts;
    if (streaming && firstTokenMs < this.#timeouts.stepMs)
      this.#limit(now + firstTokenMs, 'The first token', firstTokenMs);
    else this.#limitStep();
    return now;
  }

  firstToken(): void {
    this.#limitStep();
  }

  /** The model has answered; only the limit of the run applies. */
  endStep(): void {
    this.#limit(this.#endsAt, 'The run', this.#timeouts.totalMs);
  }

  /** The run is over: no timer and no listener stays. */
  stop(): void {
    this.#disarm();
    this.#outer?.removeEventListener('abort', this.#onOuterAbort);
  }

  readonly #onOuterAbort = (): void => this.abort(this.#outer?.reason);

  #limitStep(): void {
    this.#limit(this.#stepEndsAt, 'A step', this.#timeouts.stepMs);
  }

  /** Most limits are replaced by a later one long before they are reached: a timer that fires too early is set again then. */
  #limit(at: number, what: string, limitMs: number): void {
    const isFirst = at < this.#endsAt;
    this.#nextAt = isFirst ? at : this.#endsAt;
    this.#nextWhat = isFirst ? what : 'The run';
    this.#nextMs = isFirst ? limitMs : this.#timeouts.totalMs;
    if (this.#firesAt > this.#nextAt) this.#arm(this.#clock.now());
  }

  #arm(now: number): void {
    this.#disarm();
    const waitMs = Math.max(0, this.#waitMs(this.#nextAt - now));
    this.#firesAt = now + waitMs;
    this.#timer = setTimeout(() => this.wake(), waitMs);
  }

  #disarm(): void {
    this.#alarm?.leave(this);
    this.#alarm = undefined;
    clearTimeout(this.#timer);
  }

  /** No longer than the limits to come will want, so that they find it set. */
  #waitMs(untilNextMs: number): number {
    const { firstTokenMs, stepMs } = this.#timeouts;
    return Math.min(untilNextMs, firstTokenMs, stepMs, longestTimerMs);
  }

  wake(): void {
    this.#alarm = undefined;
    if (this.#firesAt >= this.#nextAt) this.abort(new TimeLimitError(this.#nextWhat, this.#nextMs));
    else this.#arm(this.#firesAt);
  }
}
