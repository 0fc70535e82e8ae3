import { HalyardError } from '@halyard/contracts';
import { Shares } from '@halyard/core/server';
import { operatorKey } from '../access/identity.ts';

export interface CallerSlotsOptions {
  /** The use of the slots, in messages: `open streams`. */
  readonly what: string;
  /** How a caller with too many of them gets another one, in messages. */
  readonly advice: string;
  /** The code of the error for a caller that has too many. */
  readonly code: string;
  /** Default: as many as its share. */
  readonly perCaller?: number | undefined;
  readonly perProcess: number;
}

/**
 * Slots of a process that callers share: each gets as many as are left free, but at most
 * `perCaller`. A caller with the console key has only the limit of a caller, so that it can act
 * while others fill the server.
 */
export class CallerSlots {
  readonly #options: CallerSlotsOptions;
  readonly #perCaller: number;
  readonly #shares: Shares;

  constructor(options: CallerSlotsOptions) {
    const { perCaller, perProcess } = options;
    this.#options = options;
    this.#perCaller = perCaller ?? perProcess;
    this.#shares = new Shares({ slots: perProcess, perSubject: this.#perCaller });
  }

  /**
   * @throws HalyardError with the code of the options when the caller has too many, `OVERLOADED`
   * when the process has.
   */
  check(caller: string, count = 1): void {
    const { advice, code, what } = this.#options;
    switch (this.#findRefusal(caller, count)) {
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

  #findRefusal(caller: string, count: number): ReturnType<Shares['refusalOf']> {
    if (caller !== operatorKey) return this.#shares.refusalOf(caller, count);
    return this.#shares.heldBy(caller) + count <= this.#perCaller ? undefined : 'share-used';
  }
}
