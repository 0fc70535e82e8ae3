import { HalyardError } from '@halyard/contracts';
import type { Shares } from '@halyard/core';
import { operatorKey } from '../access/identity.ts';
import { type CallerLimits, sharesOfCallers } from './caller-shares.ts';

export interface CallerSlotsOptions extends CallerLimits {
  /** What a slot is for, in messages: `open streams`. */
  readonly what: string;
  /** What a caller with too many of them should do, in messages. */
  readonly advice: string;
  /** The code of the error for a caller that has too many. */
  readonly code: string;
}

/**
 * Limits what callers have open at the same time: see {@link sharesOfCallers}.
 * A caller with the console key has only the limit of its own, so that it can act when others fill the server.
 */
export class CallerSlots {
  readonly #options: CallerSlotsOptions;
  readonly #shares: Shares;

  constructor(options: CallerSlotsOptions) {
    this.#options = options;
    this.#shares = sharesOfCallers(options);
  }

  /** @throws HalyardError with the code of the options when the caller has too many, `OVERLOADED` when the process has. */
  check(caller: string, count = 1): void {
    const { advice, code, what } = this.#options;
    switch (this.#refusalOf(caller, count)) {
      case undefined:
        return;
      case 'share-used':
        throw new HalyardError('rate-limited', code, `You have ${this.#shares.heldBy(caller)} ${what}: ${advice}`);
      case 'all-taken':
        throw new HalyardError('unavailable', 'OVERLOADED', `The server has too many ${what}`);
    }
  }

  /** Takes slots without a check. @returns a function that frees them; to be called once. */
  take(caller: string, count = 1): () => void {
    this.#shares.take(caller, count);
    return () => this.#shares.release(caller, count);
  }

  /** {@link check}, then {@link take}. */
  reserve(caller: string, count = 1): () => void {
    this.check(caller, count);
    return this.take(caller, count);
  }

  #refusalOf(caller: string, count: number): ReturnType<Shares['refusalOf']> {
    if (caller !== operatorKey) return this.#shares.refusalOf(caller, count);
    return this.#shares.heldBy(caller) + count <= this.#options.perCaller ? undefined : 'share-used';
  }
}
