/** Lets somebody wait until nothing is at work. */
export class Idle {
  readonly #isIdle: () => boolean;
  #onIdle: (() => void) | undefined;

  constructor(isIdle: () => boolean) {
    this.#isIdle = isIdle;
  }

  /** To be called when something has ended. */
  look(): void {
    if (this.#isIdle()) this.#onIdle?.();
  }

  /** Resolves when nothing is at work, at the latest after so many milliseconds. */
  async within(ms: number): Promise<void> {
    if (this.#isIdle()) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    this.#onIdle = resolve;
    await promise;
    clearTimeout(timer);
    this.#onIdle = undefined;
  }
}
