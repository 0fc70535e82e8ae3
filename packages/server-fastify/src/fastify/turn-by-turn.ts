/** Does one thing in each turn of the event loop, so that other work is done in between. */
export class TurnByTurn {
  readonly #waiting: (() => void)[] = [];
  #isScheduled = false;

  add(act: () => void): void {
    this.#waiting.push(act);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      const act = this.#waiting.shift();
      if (this.#waiting.length > 0) this.#schedule();
      act?.();
    });
  }
}
