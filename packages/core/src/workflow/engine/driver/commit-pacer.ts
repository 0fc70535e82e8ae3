import { setImmediate as yieldToEventLoop } from 'node:timers/promises';

const commitsBetweenYields = 64;

/**
 * Lets the event loop run between commits. A store in memory returns without leaving the microtask
 * queue, so executions would block timers and sockets.
 */
export class CommitPacer {
  #commits = 0;
  #yielding: Promise<void> | undefined;

  /** To be called after each commit. Resolves when the next one may follow. */
  committed(): Promise<void> {
    this.#commits += 1;
    if (this.#commits < commitsBetweenYields) return Promise.resolve();
    this.#yielding ??= yieldToEventLoop().then(() => {
      this.#commits = 0;
      this.#yielding = undefined;
    });
    return this.#yielding;
  }
}
