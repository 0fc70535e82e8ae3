import { HalyardError } from '@halyard/contracts';
import type { Shares } from '@halyard/core';
import { operatorKey } from '../access/identity.ts';
import { type CallerLimits, sharesOfCallers } from './caller-shares.ts';

export interface CallerTurnsOptions extends CallerLimits {
  /** How long a piece of work waits for its turn. */
  readonly waitMs: number;
}

/**
 * Runs a few pieces of work of each caller at the same time, and of all callers together, so that neither one caller nor a few can take all connections of a
 * database. Further work waits: that of one caller in its order, and that of the caller with the fewest running pieces first.
 * Work with the console key waits only for other work with the console key.
 */
export class CallerTurns {
  readonly #shares: Shares;
  readonly #perCaller: number;
  readonly #waitMs: number;
  /** What starts the waiting work, by caller. The caller whose last turn was longest ago comes first. */
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor({ waitMs, ...limits }: CallerTurnsOptions) {
    this.#waitMs = waitMs;
    this.#perCaller = limits.perCaller;
    this.#shares = sharesOfCallers(limits);
  }

  /** How many pieces of work run. */
  get running(): number {
    return this.#shares.taken;
  }

  /** How many callers have work that waits. */
  get waitingCallers(): number {
    return this.#waiting.size;
  }

  /**
   * Runs the work when it is its turn.
   *
   * @param call its signal ends the waiting. It is read only if the work has to wait.
   * @throws HalyardError when the turn has not come in time: `TOO_MANY_REQUESTS` if other work of the caller runs, and otherwise `OVERLOADED`.
   * @throws the reason of the signal when it is aborted before.
   */
  async run<Result>(
    caller: string,
    call: { readonly signal: AbortSignal },
    work: () => Result | Promise<Result>,
  ): Promise<Result> {
    if (this.#mayRun(caller)) this.#shares.take(caller);
    else await this.#turn(caller, call.signal);
    try {
      return await work();
    } finally {
      this.#shares.release(caller);
      this.#startWaiting();
    }
  }

  async #turn(caller: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { promise, reject, resolve } = Promise.withResolvers<void>();
    const leave = (reason: unknown): void => {
      this.#remove(caller, resolve);
      reject(reason);
    };
    const onAbort = (): void => leave(signal.reason);
    const timer = setTimeout(() => leave(this.#waitedTooLong(caller)), this.#waitMs);
    signal.addEventListener('abort', onAbort, { once: true });
    this.#waiting.set(caller, (this.#waiting.get(caller) ?? new Set()).add(resolve));
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    }
  }

  #mayRun(caller: string): boolean {
    if (caller === operatorKey) return this.#shares.heldBy(caller) < this.#perCaller;
    return this.#shares.refusalOf(caller) === undefined;
  }

  /** A caller whose work starts goes to the end of the map. */
  #startWaiting(): void {
    for (let caller = this.#nextCaller(); caller !== undefined; caller = this.#nextCaller()) {
      const waiting = this.#waiting.get(caller) ?? new Set();
      const [start] = waiting;
      this.#waiting.delete(caller);
      if (start === undefined) continue;
      waiting.delete(start);
      if (waiting.size > 0) this.#waiting.set(caller, waiting);
      this.#shares.take(caller);
      start();
    }
  }

  /** Of the callers that may have another piece of work run, the one with the fewest. */
  #nextCaller(): string | undefined {
    let next: string | undefined;
    for (const caller of this.#waiting.keys()) {
      if (!this.#mayRun(caller)) continue;
      if (next === undefined || this.#shares.heldBy(caller) < this.#shares.heldBy(next)) next = caller;
    }
    return next;
  }

  #remove(caller: string, start: () => void): void {
    const waiting = this.#waiting.get(caller);
    waiting?.delete(start);
    if (waiting?.size === 0) this.#waiting.delete(caller);
  }

  #waitedTooLong(caller: string): HalyardError {
    if (this.#shares.heldBy(caller) === 0)
      return new HalyardError('unavailable', 'OVERLOADED', 'The server has too many requests that read lists');
    return new HalyardError(
      'rate-limited',
      'TOO_MANY_REQUESTS',
      'You have too many requests that read lists: send fewer at the same time',
    );
  }
}
