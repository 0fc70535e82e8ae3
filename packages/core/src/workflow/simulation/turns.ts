/** One thing after the other. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** Does it when all before is done. */
  take<Result>(act: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(act);
    this.#last = result.catch(() => undefined);
    return result;
  }
}
