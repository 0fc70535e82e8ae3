import { type ClaimedExecution, type Clock, monotonicTime } from '@halyard/contracts';
import type { ExecutionRun } from '../../interpreter/run/execution-run.ts';
import { leaseTime } from './lease-deadline.ts';

/** A claimed execution, and when the claim was requested. */
export interface Claim {
  readonly claimed: ClaimedExecution;
  /** By `leaseTime`: the lease ends at the earliest `leaseMs` later. */
  readonly leaseRequestedAt: number;
  /** By `monotonicTime`. */
  readonly requestedAt: number;
}

/** To be called when a claim is requested. @returns makes a claim of the store's reply. */
export function claimNow(clock: Clock): (claimed: ClaimedExecution) => Claim {
  const times = { leaseRequestedAt: leaseTime(), requestedAt: monotonicTime(clock) };
  return (claimed) => ({ claimed, ...times });
}

/** An execution that this process claims or runs. */
export class LocalExecution {
  /** That of the claim. Undefined while it is being claimed, and when it was lost before it ran. */
  epoch: number | undefined;
  /** Undefined while it is being claimed and its history is read. */
  run: ExecutionRun | undefined;
  /** Another job for it arrived since the claim: it is claimed again when the run ends. */
  mustRunAgain = false;
  /** The next claim: it exists already, or is made with the creation of the execution. */
  claim: Claim | Promise<Claim | undefined> | undefined;
  /** On whose behalf it takes its slot. */
  readonly subject: string | undefined;
  /** An engine has delivered it: no lease ends it. */
  readonly isDelivered: boolean;

  constructor(subject: string | undefined, claim: LocalExecution['claim'], isDelivered = false) {
    this.subject = subject;
    this.claim = claim;
    this.isDelivered = isDelivered;
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
