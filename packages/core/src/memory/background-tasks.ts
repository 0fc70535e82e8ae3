import type { Logger } from '@halyard/contracts';

/** Work beside requests: a few tasks at once, so many waiting at most. What fails is logged. */
export class BackgroundTasks {
  readonly #atOnce: number;
  readonly #limit: number;
  readonly #waiting: (() => Promise<void>)[] = [];
  readonly #running = new Set<Promise<void>>();

  constructor({ atOnce, limit }: { readonly atOnce: number; readonly limit: number }) {
    this.#atOnce = atOnce;
    this.#limit = limit;
  }

  /** @param what it does, for the log: `a title could not be made`. */
  add(logger: Logger, what: string, task: () => Promise<void>): void {
    if (this.#waiting.length >= this.#limit) {
      logger.error({ waiting: this.#waiting.length }, `${what}: too many wait`);
      return;
    }
    this.#waiting.push(() => task().catch((error: unknown) => logger.warn({ err: error }, what)));
    this.#startNext();
  }

  /** Resolves when nothing runs or waits. */
  async flush(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  #startNext(): void {
    if (this.#running.size >= this.#atOnce) return;
    const next = this.#waiting.shift();
    if (next === undefined) return;
    const running = next().finally(() => {
      this.#running.delete(running);
      this.#startNext();
    });
    this.#running.add(running);
  }
}
