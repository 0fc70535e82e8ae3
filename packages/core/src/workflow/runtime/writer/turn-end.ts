/** Calls what is left to do at the end of this turn, all with one tick of the process. */
export class TurnEnd {
  #waiting: (() => void)[] = [];

  readonly add = (work: () => void): void => {
    if (this.#waiting.push(work) === 1) process.nextTick(this.#onTick);
  };

  readonly #onTick = (): void => {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const work of waiting) work();
  };
}
