/** Commits in a row before other work of the process gets its turn. */
const commitsPerBreath = 64;

/**
 * Lets timers and sockets have their turn: executions on a store that answers at once would otherwise follow each other in one
 * turn of the event loop, for as long as there are any.
 */
export class Breather {
  #commits = 0;

  /** A promise when it is time to wait for the next turn. */
  breathe(): Promise<void> | undefined {
    this.#commits += 1;
    if (this.#commits < commitsPerBreath) return undefined;
    this.#commits = 0;
    return new Promise((resolve) => setImmediate(resolve));
  }
}
