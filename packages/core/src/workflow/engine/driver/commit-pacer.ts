import { setImmediate as nextTurn } from 'node:timers/promises';

/** After this many commits, timers and sockets get their turn. */
const commitsPerTurn = 64;

/** Lets the event loop run between commits: a store in memory answers without leaving the microtask queue, so that executions would block timers and sockets. */
export class CommitTurns {
  #commits = 0;
  #nextTurn: Promise<void> | undefined;

  /** To be called after each commit. Resolves when the next one may follow. */
  committed(): Promise<void> {
    this.#commits += 1;
    if (this.#commits < commitsPerTurn) return Promise.resolve();
    this.#nextTurn ??= nextTurn().then(() => {
      this.#commits = 0;
      this.#nextTurn = undefined;
    });
    return this.#nextTurn;
  }
}
