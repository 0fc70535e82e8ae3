/** Lets the bodies of steps wait until a test opens it. */
export class Gate {
  readonly #opened = Promise.withResolvers<void>();
  readonly #entered = Promise.withResolvers<void>();
  /** Signals of the bodies that wait or have waited here. */
  readonly signals: AbortSignal[] = [];

  /** Resolves when the first body waits here. */
  get entered(): Promise<void> {
    return this.#entered.promise;
  }

  open(): void {
    this.#opened.resolve();
  }

  /** Waits until it is opened, ignoring the signal. */
  async pass({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    this.signals.push(signal);
    this.#entered.resolve();
    await this.#opened.promise;
  }

  /** Waits until it is opened, or the signal aborts: then it throws. */
  async passOrAbort({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    this.signals.push(signal);
    this.#entered.resolve();
    const { promise, reject } = Promise.withResolvers<never>();
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    await Promise.race([this.#opened.promise, promise]);
  }
}
