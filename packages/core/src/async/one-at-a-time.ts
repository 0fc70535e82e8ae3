/**
 * Runs work with the same key one after the other, and work with different keys at the same time.
 */
export class OneAtATime {
  readonly #last = new Map<string, Promise<void>>();

  async run(key: string, work: () => Promise<void>): Promise<void> {
    const before = this.#last.get(key);
    const current = before === undefined ? work() : before.then(work, work);
    this.#last.set(key, current);
    try {
      await current;
    } finally {
      if (this.#last.get(key) === current) this.#last.delete(key);
    }
  }
}
