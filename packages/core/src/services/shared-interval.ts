/** One timer for all who want to be called from time to time; there is none while nobody does. */
export class SharedInterval {
  readonly #everyMs: number;
  readonly #calls = new Map<number, () => void>();
  #added = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  /** @returns a function that stops it. */
  add(call: () => void): () => void {
    this.#added += 1;
    const key = this.#added;
    this.#calls.set(key, call);
    this.#timer ??= setInterval(this.#onTimer, this.#everyMs).unref();
    return () => {
      this.#calls.delete(key);
      if (this.#calls.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  readonly #onTimer = (): void => {
    for (const call of this.#calls.values()) call();
  };
}
