import { HalyardError } from '@halyard/contracts';

export interface CallerTurnsOptions {
  /** How many pieces of work of one caller run at the same time. */
  readonly perCaller: number;
  /** How long a piece of work waits for its turn. */
  readonly waitMs: number;
}

interface CallerWork {
  running: number;
  /** What lets the waiting ones run. The one that has waited longest comes first. */
  readonly waiting: Set<() => void>;
}

/**
 * Runs a few pieces of work of each caller at the same time, so that one caller cannot take all connections of a database. Further ones of the same caller wait
 * in their order; those of other callers do not wait for them.
 */
export class CallerTurns {
  readonly #options: CallerTurnsOptions;
  /** Callers without work are absent. */
  readonly #callers = new Map<string, CallerWork>();

  constructor(options: CallerTurnsOptions) {
    this.#options = options;
  }

  /** How many callers have work that runs or waits. */
  get callers(): number {
    return this.#callers.size;
  }

  /**
   * Runs the work when it is its turn.
   *
   * @param call its signal ends the waiting. It is read only if the work has to wait.
   * @throws HalyardError `TOO_MANY_REQUESTS` when the turn has not come in time, the reason of the signal when it is aborted before.
   */
  async run<Result>(
    caller: string,
    call: { readonly signal: AbortSignal },
    work: () => Result | Promise<Result>,
  ): Promise<Result> {
    const known = this.#callers.get(caller) ?? { running: 0, waiting: new Set() };
    if (known.running < this.#options.perCaller) {
      known.running += 1;
      this.#callers.set(caller, known);
    } else await this.#turn(known, call.signal);
    try {
      return await work();
    } finally {
      this.#passOn(caller, known);
    }
  }

  async #turn({ waiting }: CallerWork, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { promise, reject, resolve } = Promise.withResolvers<void>();
    const leave = (reason: unknown): void => {
      waiting.delete(resolve);
      reject(reason);
    };
    const onAbort = (): void => leave(signal.reason);
    const timer = setTimeout(() => leave(waitedTooLong()), this.#options.waitMs);
    signal.addEventListener('abort', onAbort, { once: true });
    waiting.add(resolve);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Gives the turn of finished work to the work that has waited longest. */
  #passOn(caller: string, known: CallerWork): void {
    const [next] = known.waiting;
    if (next !== undefined) {
      known.waiting.delete(next);
      next();
      return;
    }
    known.running -= 1;
    if (known.running === 0) this.#callers.delete(caller);
  }
}

function waitedTooLong(): HalyardError {
  return new HalyardError(
    'rate-limited',
    'TOO_MANY_REQUESTS',
    'You have too many requests that read lists: send fewer at the same time',
  );
}
