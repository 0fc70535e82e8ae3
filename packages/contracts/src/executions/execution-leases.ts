import type { ClaimedExecution, Lease } from './execution-log.ts';
import type { Job } from './job.ts';

/**
 * Processes that share the executions of one store use this port: each claims due executions, and
 * has one lease for all of its claims, so that it costs one write to renew, however much it runs.
 *
 * An execution is due from the time that its release, its start or a signal names, and can be
 * claimed when it has no runner, or when the lease of its runner has run out. A claim extends the
 * lease of the runner, at least for the claimed executions. A lease that has run out is not
 * renewed: the next claim of the runner begins another. A store whose executions are driven by an
 * engine of its own does not have this port.
 */
export interface ExecutionLeases {
  /**
   * Claims executions that are due, at most `limit`, in one statement: several processes that call
   * it at the same time never get the same one, and none waits for another.
   *
   * Order: the highest priority first. Within a priority, subjects (users, or callers without one)
   * are served in fair order when not all fit, and executions without a subject like one of them.
   * The position of an execution is its number among the due ones of its subject, plus how many of
   * the subject's executions this runner runs. Of equal positions, those due longest come first.
   * The cost does not grow with the number of one subject.
   *
   * With `freeSlots`, subjects share the slots, whatever the priorities are: an execution is left
   * out while this runner runs more of its subject than slots are free. So one subject alone gets
   * half of them, and another one finds a free slot. Executions without a subject may take all
   * slots.
   *
   * Included are executions whose runner has lost its lease. After the first claim in a row without
   * a commit they are due at once. After `n` claims, they are due once more `leaseMs` × 2^(n - 1),
   * at most 16 times `leaseMs`, have passed since the end of the lease, and up to half as much
   * again, so that executions that kill their process do not all return at the same time. One with
   * a stored request is due at once. Of those with at least half of `maxClaims` claims in a row
   * without a commit, a runner runs one at a time, apart from those with a stored request: it
   * leaves the others alone, and they are due again `leaseMs` later.
   *
   * An execution without a place of its `concurrency` is left out and waits, as for
   * {@link ExecutionLog.claim}. A call may return fewer than are due: others are locked, or those
   * of the call are large (about a megabyte of executions). It returns at least one when any can be
   * claimed, unless other calls are claiming them. Without any, it begins no lease.
   */
  claimNext(lease: Lease, options: ClaimNextOptions): Promise<NextExecutions>;

  /**
   * Renews the lease of a runner, or begins one if it has none. An execution that it does not name
   * in `held`, although it claimed it, can be claimed again at once when the `leaseMs` of that
   * claim have passed: the reply to the claim was lost.
   *
   * @returns the ids of those in `held` that it no longer holds: their epoch has changed, they were
   * released, do not exist, or the lease had run out.
   */
  renew(
    held: readonly { readonly executionId: string; readonly epoch: number }[],
    lease: Lease,
  ): Promise<readonly string[]>;

  /**
   * The runners that have a lease, and those whose lease has run out, as long as they have
   * executions that nobody has claimed since. For people who look at a server. Absent: not known.
   */
  runners?(): Promise<readonly Runner[]>;

  /**
   * How many executions with these definitions can be claimed now, at most `limit`, and since when.
   * For metrics.
   */
  backlog(definitions: readonly string[], limit: number): Promise<Backlog>;

  /**
   * Executions of these workflows that can be claimed now, but have other definitions than these:
   * those due longest first.
   */
  dueElsewhere(workflowIds: readonly string[], definitions: readonly string[], limit: number): Promise<readonly Job[]>;

  /**
   * Tells the processes that {@link watchDue} that something is due for which this one has no slot.
   * They may learn it late, or only when they ask.
   */
  announceDue(): void;

  /**
   * Calls `listener` after {@link announceDue}, by this process or another one, and after a
   * termination, rewind, quarantine or deletion that frees a place of a concurrency key; possibly
   * late, possibly more often or without a reason.
   *
   * @returns a function that stops it.
   */
  watchDue(listener: () => void): () => void;
}

export interface ClaimNextOptions {
  /** How many executions are claimed at most: a whole number from 1. */
  readonly limit: number;
  /** How many slots of the process are free: at least `limit`. Default: slots are not shared. */
  readonly freeSlots?: number | undefined;
  /** The definitions that may be claimed, and by which each is replaced. */
  readonly definitions: Readonly<Record<string, string>>;
  /**
   * An execution with so many claims in a row without a commit is not claimed: twice as many if it
   * has a request. Default: unlimited.
   */
  readonly maxClaims?: number | undefined;
}

export interface NextExecutions {
  /** In the order in which they were claimed. */
  readonly claimed: readonly ClaimedExecution[];
  /**
   * Executions that have reached `maxClaims`. They are due again when `leaseMs` have passed, unless
   * they are quarantined.
   */
  readonly exhausted: readonly ExhaustedExecution[];
  /**
   * Milliseconds until the next execution with one of these definitions is due that has no runner
   * and is not left out; undefined when there is none. 0: others are due now, or may be, because as
   * many as `limit` were claimed.
   */
  readonly nextDueInMs: number | undefined;
  /**
   * Whether others are due that this runner may claim only when another of its executions has
   * ended: the share of their subject is used up.
   */
  readonly hasLeftOut: boolean;
}

export interface ExhaustedExecution {
  readonly executionId: string;
  readonly workflowId: string;
  /** Claims in a row without a commit. */
  readonly claimsWithoutCommit: number;
}

/** A process that runs executions. Times are in milliseconds since the epoch. */
export interface Runner {
  readonly runner: string;
  /** When its lease began. */
  readonly since: number;
  /** When its lease runs out unless it is renewed. */
  readonly leaseUntil: number;
  /** How many root executions it has claimed and not released. */
  readonly executions: number;
  /**
   * The definitions of the executions that it can claim: those with which it last called
   * `claimNext`. None when its lease has run out; absent while it has not asked.
   */
  readonly definitions?: readonly string[];
}

export interface Backlog {
  readonly count: number;
  /** How long the oldest of them could have been claimed, in milliseconds; 0 if there is none. */
  readonly oldestDueMs: number;
}
