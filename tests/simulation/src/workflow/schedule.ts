import type { Random } from '../../../../packages/core/src/workflow/testing/random.ts';

interface PendingAction {
  readonly process: string;
  readonly what: string;
  readonly release: () => void;
}

/** Delays the actions of processes, and releases one at a time in random order. */
export class Schedule {
  readonly #random: Random;
  #pending: PendingAction[] = [];
  /** What happened so far, to debug a seed. */
  readonly trace: string[] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  get pendingCount(): number {
    return this.#pending.length;
  }

  note(what: string): void {
    this.trace.push(what);
  }

  /** Resolves when the action is released. */
  wait(process: string, what: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#pending.push({ process, what, release: resolve });
    return promise;
  }

  releaseOne(): void {
    const [action] = this.#pending.splice(this.#random.below(this.#pending.length), 1);
    if (action === undefined) return;
    this.note(`${action.process} ${action.what}`);
    action.release();
  }

  /** Resolves when the action is released, or when the signal aborts. */
  async waitUnlessAborted(process: string, what: string, signal: AbortSignal | undefined): Promise<void> {
    const aborted = Promise.withResolvers<void>();
    signal?.addEventListener('abort', () => aborted.resolve(), { once: true });
    await Promise.race([this.wait(process, what), aborted.promise]);
  }

  /** Drops the actions of a process that has crashed or stopped. */
  drop(process: string): void {
    this.#pending = this.#pending.filter((action) => action.process !== process);
  }

  /** Resolves when everything else waits for a pending action. */
  settled(): Promise<void> {
    return new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}
