import type { ExecutionRun } from '../run/execution-run.ts';

/** An execution that this process claims or runs. */
export class LocalExecution {
  /** That of the claim. Undefined while it is being claimed, and when it was lost before it ran. */
  epoch: number | undefined;
  /** Undefined while it is being claimed and its history is read. */
  run: ExecutionRun | undefined;
  /** Another job for it arrived since the claim: it is claimed again when the run ends. */
  isRequestedAgain = false;
  readonly #committed = Promise.withResolvers<void>();

  /** Resolves with the first commit. */
  get committed(): Promise<void> {
    return this.#committed.promise;
  }

  /** @param creationId default: whichever execution has the id. */
  isRunning(creationId?: string): boolean {
    return this.run !== undefined && (creationId === undefined || this.run.root.creationId === creationId);
  }

  readonly onCommitted = (): void => this.#committed.resolve();

  /** The store reports that it is lost. */
  fence(): void {
    if (this.run === undefined) this.epoch = undefined;
    else this.run.fence();
  }

  lose(cause: unknown): void {
    if (this.run === undefined) this.epoch = undefined;
    else this.run.lose(cause);
  }

  /** The run has ended, or there is none. */
  clear(): void {
    this.epoch = undefined;
    this.run = undefined;
  }
}
