import type { JsonObject, JsonValue } from '../json.ts';
import type { Owner } from '../users/owner.ts';
import type {
  ConcurrencyLimit,
  Execution,
  ExecutionError,
  ExecutionEvent,
  ExecutionRequest,
  ExecutionStatus,
  JournalEntry,
  NewExecution,
  NewExecutionEvent,
  Resumption,
  Suspension,
  Timer,
} from './execution.ts';
import type { Job } from './job.ts';

/**
 * The state of executions: the row, the journal, the events, and the waits. It is authoritative,
 * and each write is atomic.
 *
 * An execution that is not a sub-workflow is a root.
 *
 * At most one process writes to a root and its sub-workflows: the process whose claim returned the
 * current epoch. A claim, a rewind, a quarantine and a termination increase the epoch, so that the
 * process that had it before writes nothing more. Everybody else leaves signals: resume data,
 * requests and events, which the process reads. All times are measured by the clock of the store.
 */
export interface ExecutionLog {
  /**
   * Writes a new root execution, due at once or after `dueInMs`. The steps in `journal` count as
   * finished.
   *
   * With `claim`, one that is due at once and has no `concurrency` is claimed as well, with the
   * epoch 1: the claim is returned. Any other waits for a claim.
   *
   * @returns `taken` when the id is in use, `skipped` when its `singleton` is busy, `full` when too
   * many executions of its subject wait. A repeated call with the same `requestId` returns
   * `created`, never the claim, and changes nothing.
   */
  create(execution: NewExecution, options: CreateOptions): Promise<CreateOutcome | ClaimedExecution>;

  find(owner: Owner, id: string): Promise<Execution | undefined>;

  /**
   * Claims an execution: its epoch increases and its status becomes `running`. Only one of several
   * parallel calls succeeds.
   *
   * An execution with a `concurrency` holds a place of its key while it has a runner, also after
   * the runner's lease has run out. If as many others with its key hold one, it waits instead: it
   * is not due until a place is free or a signal arrives. It also waits while others with its key,
   * its definition and at least its priority have waited longer. Every change that removes a runner
   * (a commit, a lost lease, a rewind, a quarantine, a termination, a deletion) makes the next
   * waiting executions due in the same transaction: of each definition the highest priority first,
   * then those that have waited longest. They keep their position. An execution with a stored
   * request does not wait.
   *
   * @returns undefined when it cannot be claimed now, does not exist, or `options` do not allow it.
   */
  claim(id: string, lease: Lease, options?: ClaimOptions): Promise<ClaimedExecution | undefined>;

  /**
   * Writes the changes of a runner atomically. Repeating the last `commitId` returns the same
   * outcome and writes nothing. Rejects without writing anything when a change names an execution
   * outside this tree, or creates one whose id is in use.
   */
  commit(commit: Commit): Promise<CommitOutcome>;

  /**
   * Resumes one pending suspension. Only one of several parallel calls is `resumed`. An idle
   * execution becomes due at once. A repeated call with the same `requestId` returns the same
   * outcome.
   */
  resume(owner: Owner, resume: ResumeRequest): Promise<'resumed' | 'not-suspended'>;

  /**
   * Stores a request for the runner of an execution; without a runner, the execution becomes due at
   * once. A `cancel` replaces a `suspend`, but not the other way round. Only while it is running or
   * suspended. `id` must be a root's: a sub-workflow's is `not-found`.
   */
  request(owner: Owner, id: string, request: ExecutionRequest): Promise<'requested' | 'idle' | 'not-found'>;

  /**
   * Deletes the records from a step on, and makes the execution due at once, even if it has a lease
   * or has ended. Its epoch increases. Its events are not deleted.
   *
   * @returns `outdated` when the execution has changed since `expectedSeq` and `expectedSignals`
   * were read.
   */
  rewind(owner: Owner, rewind: RewindRequest): Promise<'rewound' | 'outdated'>;

  /**
   * Suspends an execution that can be claimed now, or was `exhausted`, without reading its history:
   * no process can run it. Its epoch increases, and its claims without a commit count from 0 again.
   *
   * @returns whether it did: not while it has a lease or waits for a signal, or when it has fewer
   * claims without a commit than `minClaims`, or than twice as many if it has a request.
   */
  quarantine(id: string, quarantine: Quarantine): Promise<boolean>;

  /**
   * Ends an execution at once, without a claim: it and its open sub-workflows are `cancelled`, and
   * their waits are deleted. Its epoch increases, so that a process that still runs it commits
   * nothing more. No step runs, and no compensation. `id` must be a root's: a sub-workflow's is
   * `not-found`.
   *
   * @returns `idle` when it has ended.
   */
  terminate(owner: Owner, id: string, termination: Termination): Promise<'terminated' | 'idle' | 'not-found'>;

  /**
   * Requests the cancellation of the roots that were created before this one and have its singleton
   * key and have not ended, or have its debounce key and have not been claimed. Those that are
   * being cancelled already are left out.
   */
  supersede(id: string, reason: string): Promise<readonly Job[]>;

  /**
   * The journal entries of a root, in the order of commits. They include those of its
   * sub-workflows, which have no journal of their own.
   */
  journal(owner: Owner, id: string): Promise<readonly JournalEntry[]>;

  /** Events after a number, in order. */
  events(owner: Owner, id: string, range: EventRange): Promise<readonly ExecutionEvent[]>;

  /**
   * Calls `listener` after the execution has changed, possibly late, possibly more than once, and
   * possibly without a change. `signal`: it was resumed, rewound or received a request; `commit`:
   * any other change.
   *
   * @returns a function that stops it.
   */
  watch(id: string, listener: (change: 'commit' | 'signal') => void): () => void;
}

export interface CreateOptions {
  /**
   * Unique to this creation. The id of the execution if that was generated, so that nothing else
   * has it.
   */
  readonly requestId: string;
  readonly journal?: readonly JournalEntry[] | undefined;
  /** Resume data for the first steps that run. */
  readonly resumptions?: readonly Resumption[] | undefined;
  /** Due after this many milliseconds. Default: 0. */
  readonly dueInMs?: number | undefined;
  /** Default: 0. */
  readonly priority?: number | undefined;
  /**
   * On whose behalf it runs, such as a user, or the address of a caller without one: subjects take
   * turns and share slots. Default: that of the user, by `subjectForUser`; without a user it is the
   * app's own work.
   */
  readonly subject?: string | undefined;
  /**
   * Nothing is created while so many executions of the same subject, with the same definition and
   * priority, are due and have no runner. A whole number from 1. Ignored without a subject.
   * Default: unlimited.
   */
  readonly maxWaiting?: number | undefined;
  /** Default: no limit. */
  readonly concurrency?: ConcurrencyLimit | undefined;
  /** `skip`: nothing is created while an execution with the same key has not ended. */
  readonly singleton?: { readonly key: string; readonly onBusy: 'skip' | 'cancel-running' } | undefined;
  /**
   * Due, at the earliest, `periodMs` after the `limit`-th last one with the same key was or will be
   * due.
   */
  readonly throttle?: { readonly key: string; readonly limit: number; readonly periodMs: number } | undefined;
  /**
   * Due after `delayMs`, but at most `maxDelayMs` after the first of the executions with the same
   * key that have not been claimed and have not ended. Replaces `dueInMs`.
   */
  readonly debounce?:
    | { readonly key: string; readonly delayMs: number; readonly maxDelayMs?: number | undefined }
    | undefined;
  /** Names the steps that its workflow has now. Default: the id of the workflow. */
  readonly definition?: string | undefined;
  /** The process that runs it at once. Default: it waits for a claim. */
  readonly claim?: Lease | undefined;
}

export type CreateOutcome = 'created' | 'taken' | 'skipped' | 'full';

export interface Lease {
  /** The name of the process. */
  readonly runner: string;
  readonly leaseMs: number;
}

export interface ClaimOptions {
  /**
   * The definitions that may be claimed, and by which each is replaced. Default: all, unchanged.
   */
  readonly definitions?: Readonly<Record<string, string>> | undefined;
}

export interface ClaimedExecution {
  readonly execution: Execution;
  /** On whose behalf it runs. Undefined: the app's own work. */
  readonly subject: string | undefined;
  /** Without the entries that its checkpoint left out. */
  readonly journal: readonly JournalEntry[];
  /** Its sub-workflows, at any depth, without those that its checkpoint left out. */
  readonly children: readonly Execution[];
  /** The `data` of its checkpoint; absent without one. */
  readonly checkpoint?: JsonValue;
  /** Claims in a row without a commit, including this one. */
  readonly claimsWithoutCommit: number;
  /** The time of the store's clock. */
  readonly now: number;
}

/** One atomic write by the runner of a root execution, for it and its sub-workflows. */
export interface Commit {
  /** The id of the root. */
  readonly executionId: string;
  /**
   * That of the claimed execution. A different one means that it was deleted, and that its id was
   * used again.
   */
  readonly creationId: string;
  /**
   * The epoch that the claim returned. A different current epoch means that the execution was
   * claimed again, rewound, quarantined or terminated.
   */
  readonly epoch: number;
  /** Unique in the execution. */
  readonly commitId: string;
  /** Number of the root's last event before this commit. */
  readonly expectedSeq: number;
  readonly entries: readonly JournalEntry[];
  /** Of the root and its sub-workflows. */
  readonly changes: readonly ExecutionChange[];
  /**
   * Paths whose suspension, resumption and timer are deleted, before those of this commit are
   * added.
   */
  readonly settled: readonly string[];
  readonly suspensions: readonly Suspension[];
  readonly timers: readonly Timer[];
  /** Deletes the stored request: it was carried out. */
  readonly requestDone?: boolean;
  /** Replaces an earlier checkpoint. */
  readonly checkpoint?: Checkpoint;
  /** The runner releases the execution. */
  readonly release?: Release;
}

/**
 * The part of an execution's history that is still needed: claims leave out the rest, so that they
 * cost the same however long it has run. Entries that were left out once stay left out. A rewind
 * deletes the checkpoint, and then claims return everything again. All other methods always do.
 */
export interface Checkpoint {
  /**
   * The paths of the journal entries so far, those of this commit included, that are still needed.
   */
  readonly entries: readonly string[];
  /**
   * The ids of the sub-workflows so far that are still needed. Those that have not ended always
   * are.
   */
  readonly children: readonly string[];
  /** For the runner that claims the execution next. */
  readonly data: JsonValue;
}

export interface Release {
  /**
   * When the execution is due again, in milliseconds since the epoch; a time that has passed: at
   * once, and since the release. Null: not before a signal.
   */
  readonly dueAt: number | null;
  /** The number of signals that the runner has read. If there are more, nothing is written. */
  readonly expectedSignals: number;
}

/** Changes of one execution. Absent fields keep their values. */
export interface ExecutionChange {
  readonly id: string;
  /** The sub-workflow starts with this commit. */
  readonly created?: Omit<NewExecution, 'id' | 'events'> & {
    readonly parentExecutionId: string;
    readonly path: string;
  };
  /** A final status of the root also deletes everything it waits for, and releases it. */
  readonly status?: ExecutionStatus;
  /** The result, with a final status. */
  readonly output?: JsonValue;
  readonly error?: ExecutionError;
  /** Fields of the state to set; others keep their values. Applied in the order of commits. */
  readonly statePatch?: JsonObject;
  readonly events: readonly NewExecutionEvent[];
}

export type CommitOutcome =
  /**
   * `seq`: number of the root's last event. `childSeqs`: the same for each changed sub-workflow;
   * absent when there is none.
   */
  | {
      readonly status: 'committed';
      readonly signals: number;
      readonly seq: number;
      readonly childSeqs?: Readonly<Record<string, number>>;
    }
  /** Nothing was written: the runner has not read all signals. */
  | { readonly status: 'signalled' }
  /**
   * Nothing was written: the creation, the epoch or the last event differs from the expected one,
   * or the execution was released or does not exist.
   */
  | { readonly status: 'fenced' };

export interface ResumeRequest {
  /** The id of the root. */
  readonly executionId: string;
  readonly suspensionId: string;
  readonly data: JsonValue;
  readonly resumedBy?: string | undefined;
  readonly requestId: string;
  /** The time limit of the suspension is over. */
  readonly isTimeout?: true;
  /** The time limit responds. */
  readonly isExpired?: true;
}

export interface RewindRequest {
  readonly executionId: string;
  readonly expectedSeq: number;
  readonly expectedSignals: number;
  /**
   * Deletes journal entries, suspensions, resumptions and timers at these paths, below them
   * (`path/…`), of their instances (`path:…`) and of their decisions (`path#…`). Sub-workflows
   * there that have not ended are cancelled.
   */
  readonly paths: readonly string[];
  /**
   * Deletes only these journal entries: those of the steps around, which are no longer finished.
   */
  readonly entries: readonly string[];
  /**
   * Noted with the rewind: the paths at and below which steps get new idempotency keys. Default:
   * `paths`.
   */
  readonly newKeys?: readonly string[];
  /** Replaces the snapshot of the user, also of sub-workflows. Default: it stays. */
  readonly user?: JsonObject;
  /** Changes of the workflow states of the root and its sub-workflows. */
  readonly states?: readonly StateRewind[];
  /** The resume data for the step that runs first. */
  readonly resumption?: Resumption;
}

/** A change of a workflow state by a rewind. */
export interface StateRewind {
  /** The root or one of its sub-workflows; others are not changed. */
  readonly id: string;
  /** Names of fields that are deleted first. */
  readonly unset: readonly string[];
  /** Fields that are set then. */
  readonly set: JsonObject;
}

export interface Quarantine {
  readonly minClaims: number;
  readonly suspension: Suspension;
  readonly events: readonly NewExecutionEvent[];
}

/**
 * The last events of the executions that end, by their ids. Executions that have ended before get
 * none.
 */
export type Termination = Readonly<Record<string, readonly NewExecutionEvent[]>>;

export interface EventRange {
  /** The number of the last event before them. */
  readonly after: number;
  /** How many events, at most. */
  readonly limit: number;
  /**
   * How large the events may be together, in bytes of JSON, or of memory in a store that has no
   * JSON. The first is returned even if it is larger. Later ones are left out, and a store does not
   * read them into its process. Default: no limit.
   */
  readonly maxBytes?: number;
  /**
   * Only events of the execution with this `creationId`; none if it was deleted, also if another
   * one has its id. Default: events of whichever execution has the id.
   */
  readonly creationId?: string;
}
