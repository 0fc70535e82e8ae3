/** One part of some work. Returns the next part, if there is one. */
export type Part = () => Part | undefined;

/** Does one part of its work in each turn of the event loop, so that other work is done in between. */
export class TurnByTurn {
  readonly #waiting: Part[] = [];
  #isScheduled = false;

  /** Does this work after the work that was added before, all its parts included. */
  add(first: Part): void {
    this.#waiting.push(first);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      const next = this.#waiting.shift()?.();
      if (next !== undefined) this.#waiting.unshift(next);
      if (this.#waiting.length > 0) this.#schedule();
    });
  }
}
