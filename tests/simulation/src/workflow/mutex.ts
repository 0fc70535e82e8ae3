/** Runs actions one after the other. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs the action when all earlier ones have settled. */
  run<Result>(act: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(act);
    this.#last = result.catch(() => undefined);
    return result;
  }
}
