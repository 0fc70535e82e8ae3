/**
 * One timer for any number of callbacks. It exists only while there are callbacks, and does not
 * keep the process alive.
 */
export class SharedInterval {
  readonly everyMs: number;
  readonly #subscriptions = new Set<{ readonly call: () => void }>();
  #timer: NodeJS.Timeout | undefined;

  constructor(everyMs: number) {
    this.everyMs = everyMs;
  }

  /**
   * @param call must not throw.
   * @returns a function that removes it.
   */
  add(call: () => void): () => void {
    const subscription = { call };
    this.#subscriptions.add(subscription);
    this.#timer ??= setInterval(() => this.#callAll(), this.everyMs).unref();
    return () => {
      this.#subscriptions.delete(subscription);
      if (this.#subscriptions.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  #callAll(): void {
    for (const { call } of this.#subscriptions) call();
  }
}
