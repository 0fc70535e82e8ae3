/** The work of one caller. */
interface Line {
  running: number;
  /** The starts of waiting work, in their order. */
  readonly waiting: Set<() => void>;
}

/**
 * Runs a few pieces of work of each caller at the same time, so that one caller cannot take all
 * connections of a database. Its further work waits, in its order; that of other callers does not.
 */
export class CallerQueue {
  readonly #perCaller: number;
  /** Callers without work are absent. */
  readonly #lines = new Map<string, Line>();

  /** @param perCaller how many pieces of work of one caller run at the same time. */
  constructor(perCaller: number) {
    this.#perCaller = perCaller;
  }

  /** How many callers have work. */
  get callers(): number {
    return this.#lines.size;
  }

  /**
   * @param call its signal ends the waiting. It is read only if the work has to wait.
   * @throws the reason of the signal when it is aborted before the work starts.
   */
  async run<Result>(
    caller: string,
    call: { readonly signal: AbortSignal },
    work: () => Result | Promise<Result>,
  ): Promise<Result> {
    const line = this.#lines.get(caller) ?? { running: 0, waiting: new Set() };
    this.#lines.set(caller, line);
    if (line.running < this.#perCaller) line.running += 1;
    else await waitIn(line, call.signal);
    try {
      return await work();
    } finally {
      this.#startNext(caller, line);
    }
  }

  #startNext(caller: string, line: Line): void {
    const [start] = line.waiting;
    if (start === undefined) {
      line.running -= 1;
      if (line.running === 0) this.#lines.delete(caller);
    } else {
      line.waiting.delete(start);
      start();
    }
  }
}

async function waitIn({ waiting }: Line, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { promise, reject, resolve } = Promise.withResolvers<void>();
  const leave = (): void => {
    waiting.delete(resolve);
    reject(signal.reason);
  };
  signal.addEventListener('abort', leave, { once: true });
  waiting.add(resolve);
  try {
    await promise;
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
