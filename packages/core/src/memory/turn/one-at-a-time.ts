/** Lets work on the same thing follow each other; work on others is not held up. */
export class OneAtATime {
  readonly #last = new Map<string, Promise<void>>();

  async run(key: string, work: () => Promise<void>): Promise<void> {
    const before = this.#last.get(key);
    const mine = before === undefined ? work() : before.then(work, work);
    this.#last.set(key, mine);
    try {
      await mine;
    } finally {
      if (this.#last.get(key) === mine) this.#last.delete(key);
    }
  }
}
