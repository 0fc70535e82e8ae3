/** Runs one task at a time. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs the task when all earlier ones have ended. */
  take<Result>(act: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(act);
    this.#last = result.catch(() => undefined);
    return result;
  }
}
