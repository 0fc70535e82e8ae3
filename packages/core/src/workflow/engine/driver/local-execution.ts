import type { ClaimedExecution } from '@halyard/contracts';
import type { ExecutionRun } from '../../interpreter/run/execution-run.ts';

/** A claimed execution, and when the claim was requested. */
export interface Claim {
  readonly claimed: ClaimedExecution;
  /** By `leaseTime`: the lease ends at the earliest `leaseMs` later. */
  readonly leaseRequestedAt: number;
  /** By `monotonicTime`. */
  readonly requestedAt: number;
}

/** An execution that this process claims or runs. */
export class LocalExecution {
  /** That of the claim. Undefined while it is being claimed, and when it was lost before it ran. */
  epoch: number | undefined;
  /** Undefined while it is being claimed and its history is read. */
  run: ExecutionRun | undefined;
  /** Another job for it arrived since the claim: it is claimed again when the run ends. */
  mustRunAgain = false;
  /** What is run next: it was claimed already, or is claimed with its creation. */
  claim: Claim | Promise<Claim | undefined> | undefined;
  /** On whose behalf it takes its slot. */
  readonly subject: string | undefined;

  constructor(subject: string | undefined, claim: LocalExecution['claim']) {
    this.subject = subject;
    this.claim = claim;
  }

  takeClaim(): LocalExecution['claim'] {
    const { claim } = this;
    this.claim = undefined;
    return claim;
  }

  /** @param creationId default: whichever execution has the id. */
  isRunning(creationId?: string): boolean {
    return this.run !== undefined && (creationId === undefined || this.run.root.creationId === creationId);
  }

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
