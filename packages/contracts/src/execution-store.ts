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
import type { JsonObject, JsonValue } from './json.ts';
import type { Owner } from './owner.ts';
import type { EventDelivery, NewPublishedEvent, Publication } from './published-event.ts';

/**
 * Stores executions, and is authoritative for their state. Every change by a runner is a commit, written atomically.
 *
 * At most one runner may write at any time: the one whose claim returned the current epoch. All times are measured by the store's clock. An execution
 * can be claimed when it is due and has no runner, or when the lease of its runner has run out. {@link claimNext} claims such executions, and {@link claim} a certain one.
 *
 * A runner has one lease for everything that it has claimed, so that it costs one write to renew, however much it runs. Renewals extend the lease; so does a claim, at least for what it claims. One that has
 * run out is not renewed: the next claim of the runner begins another.
 */
export interface ExecutionStore {
  /**
   * Writes a new root execution, due at once or after `dueInMs`. The steps in `journal` count as finished.
   *
   * @returns `taken` when the id is in use, `skipped` when its `singleton` is busy, `full` when too many executions of its subject wait. A repeated call with the same `requestId` returns `created` and
   * changes nothing.
   */
  create(execution: NewExecution, options: CreateOptions): Promise<CreateOutcome>;

  find(owner: Owner, id: string): Promise<Execution | undefined>;

  /** Newest first, also among executions created in the same millisecond. */
  list(owner: Owner, filter: ExecutionFilter): Promise<ExecutionPage>;

  /** The journal entries of a root, in the order of commits. They include those of its sub-workflows, which have no journal of their own. */
  journal(owner: Owner, id: string): Promise<readonly JournalEntry[]>;

  /** Events after a number, in order. */
  events(owner: Owner, id: string, range: EventRange): Promise<readonly ExecutionEvent[]>;

  /**
   * The first events of several executions, at most `limit` of each. Executions that are not found are absent.
   *
   * @param maxBytes how large the events of all may be together, in bytes of JSON, or of memory in a store that has no JSON. Later events are left out. Default: no limit.
   */
  histories(
    owner: Owner,
    ids: readonly string[],
    limit: number,
    maxBytes?: number,
  ): Promise<ReadonlyMap<string, readonly ExecutionEvent[]>>;

  /**
   * Claims an execution: its epoch increases and its status becomes `running`. Only one of several parallel calls succeeds.
   *
   * An execution with a `concurrency` has a place of its key while it has a runner, also one whose lease has run out. If as many others with its key have one, it waits instead: it is not due until a place is free
   * or a signal arrives. So does one that has not waited while others with its key, its definition and at least its priority wait. Whatever takes the runner of an execution away (a commit, a lost lease, a rewind,
   * a quarantine, a termination, a deletion) also makes those due that wait next, in the same transaction: of each definition the highest priority first, then those that have waited longest. They keep their turn.
   * One with a stored request does not wait.
   *
   * @returns undefined when it cannot be claimed now, does not exist, or `options` do not allow it.
   */
  claim(id: string, lease: Lease, options?: ClaimOptions): Promise<ClaimedExecution | undefined>;

  /**
   * Claims executions that are due, at most `limit`, in one statement: several processes that call it at the same time never get the same one, and none waits for another.
   *
   * Order: the highest priority first. Within a priority subjects (users, or callers without one) take turns when not all fit, and executions without a subject like one of them: the turn of an execution is
   * its position among what is due of its subject, plus how many of the subject's executions this runner runs. Within a turn, those due longest come first. The cost does not grow with the number of one
   * subject.
   *
   * With `freeSlots`, subjects share the slots, whatever the priorities are: an execution is left out while this runner runs more of its subject than slots are free. So one subject alone gets half of them, and
   * another one finds a free slot. Executions without a subject may take all slots.
   *
   * Included are executions whose runner has lost its lease. After the first claim in a row without a commit they are due at once. After `n` claims, they are due once more
   * `leaseMs` × 2^(n - 1), at most 16 times `leaseMs`, have passed since the end of the lease, and up to half as much again, so that executions that kill their process do not all return at the same time. One with a stored request is due at once.
   * Of those with at least half of `maxClaims` claims in a row without a commit, a runner runs one at a time, apart from those with a stored request: it leaves the others alone, and they are due again
   * `leaseMs` later.
   *
   * An execution without a place of its `concurrency` is left out and waits, as for {@link claim}. A call may return fewer than are due: others are locked, or those of the call are large (about a megabyte
   * of executions). It returns at least one when any can be claimed, unless other calls are claiming them. Without any, it begins no lease.
   */
  claimNext(lease: Lease, options: ClaimNextOptions): Promise<NextExecutions>;

  /**
   * Suspends an execution that can be claimed now, or was `exhausted`, without reading its history: no process can run it. Its epoch increases, and its claims without a commit
   * count from 0 again.
   *
   * @returns whether it did: not while it has a lease or waits for a signal, or when it has fewer claims without a commit than `minClaims`.
   */
  quarantine(id: string, quarantine: Quarantine): Promise<boolean>;

  /**
   * Renews the lease of a runner, or begins one if it has none. An execution that it does not name in `held`, although it claimed it, can be claimed again at once when the `leaseMs` of that claim have passed: the answer to the claim was lost.
   *
   * @returns the ids of those in `held` that it no longer holds: their epoch has changed, they were released, do not exist, or the lease had run out.
   */
  renew(
    held: readonly { readonly executionId: string; readonly epoch: number }[],
    lease: Lease,
  ): Promise<readonly string[]>;

  /**
   * Writes the changes of a runner atomically. Repeating the last `commitId` returns the same outcome and writes nothing. Rejects without writing
   * anything when a change names an execution outside this tree, or creates one whose id is in use.
   */
  commit(commit: Commit): Promise<CommitOutcome>;

  /**
   * Answers one pending suspension. Only one of several parallel answers is `resumed`. An idle execution becomes due at once. A repeated call with the
   * same `requestId` returns the same outcome.
   */
  resume(owner: Owner, resume: ResumeRequest): Promise<'resumed' | 'not-suspended'>;

  /**
   * Stores an event, and answers the suspensions that wait for it, also those that begin later. An execution receives an event at most once: at the earliest suspension
   * that waits for its name and key, and only if the execution was created before the event. A rewind of the step that received it lets the execution
   * receive it again. The event of a user reaches only executions of that user, and only waits that are `from` the owner. A repeated call with the same `requestId` by the same owner returns the
   * same `eventId` and stores nothing.
   */
  publish(owner: Owner, event: NewPublishedEvent): Promise<Publication>;

  /**
   * Delivers events whose publisher stopped before it had reached all executions: at most `limit` events, and a part of each that takes little time. A later call continues. An event whose
   * delivery fails stops no other one, and is delivered again after some time; then the call rejects at its end.
   *
   * @returns what was delivered. Nothing: nothing is left, or what is left cannot be delivered now.
   */
  deliverPending(limit: number): Promise<readonly EventDelivery[]>;

  /**
   * Stores a request for the runner of an execution; without a runner, the execution becomes due at once. A `cancel` replaces a `suspend`, but not the
   * other way round. Only while it is running or suspended. `id` must be a root's: a sub-workflow's is `not-found`.
   */
  request(owner: Owner, id: string, request: ExecutionRequest): Promise<'requested' | 'idle' | 'not-found'>;

  /**
   * Ends an execution at once, without a claim: it and its open sub-workflows are `cancelled`, and what they wait for is deleted. Its epoch increases, so that a process that still runs it
   * commits nothing more. No step runs, and no compensation. `id` must be a root's: a sub-workflow's is `not-found`.
   *
   * @returns `idle` when it has ended.
   */
  terminate(owner: Owner, id: string, termination: Termination): Promise<'terminated' | 'idle' | 'not-found'>;

  /**
   * Deletes what was recorded from a step on, and makes the execution due at once, even if it has a lease or has ended. Its epoch increases. Its events
   * are not deleted.
   *
   * @returns `outdated` when the execution has changed since `expectedSeq` and `expectedSignals` were read.
   */
  rewind(owner: Owner, rewind: RewindRequest): Promise<'rewound' | 'outdated'>;

  /**
   * Requests the cancellation of the roots that were created before this one and have its singleton key and have not ended, or have its debounce key and
   * have not been claimed. Those that are being cancelled already are left out.
   */
  supersede(id: string, reason: string): Promise<readonly Job[]>;

  /** How many executions with these definitions can be claimed now, at most `limit`, and since when. For metrics. */
  backlog(definitions: readonly string[], limit: number): Promise<Backlog>;

  /**
   * The runners that have a lease, and those whose lease has run out, as long as they have executions that nobody has claimed since. For people who look at a server. Absent: not known.
   */
  runners?(): Promise<readonly Runner[]>;

  /** Executions of these workflows that can be claimed now, but have other definitions than these: those due longest first. */
  dueElsewhere(workflowIds: readonly string[], definitions: readonly string[], limit: number): Promise<readonly Job[]>;

  /**
   * Calls `listener` after the execution has changed, possibly late, possibly more than once, and possibly without a change. `signal`: it was answered,
   * rewound or received a request; `commit`: any other change.
   *
   * @returns a function that stops it.
   */
  watch(id: string, listener: (change: 'commit' | 'signal') => void): () => void;

  /** Tells the processes that {@link watchDue} that something is due for which this one has no slot. They may learn it late, or only when they ask. */
  announceDue(): void;

  /**
   * Calls `listener` after {@link announceDue}, by this process or another one, possibly late, possibly more often or without a reason.
   *
   * @returns a function that stops it.
   */
  watchDue(listener: () => void): () => void;

  /** Deletes at most `limit` root executions that ended at least `olderThanMs` ago, with all their data. @returns how many. */
  purge(olderThanMs: number, limit: number): Promise<number>;

  /** Deletes at most `limit` of the events that were published at least `olderThanMs` ago, the oldest first. @returns how many. */
  purgeEvents(olderThanMs: number, limit: number): Promise<number>;
}

export interface EventRange {
  /** The number of the last event before them. */
  readonly after: number;
  /** How many events, at most. */
  readonly limit: number;
  /**
   * How large the events may be together, in bytes of JSON, or of memory in a store that has no JSON. The first is returned even if it is larger. Later ones are left
   * out, and a store does not read them into its process. Default: no limit.
   */
  readonly maxBytes?: number;
  /** Only events of the execution with this `creationId`; none if it was deleted, also if another one has its id. Default: events of whichever execution has the id. */
  readonly creationId?: string;
}

export interface CreateOptions {
  /** Unique to this creation. The id of the execution if that was generated, so that nothing else has it. */
  readonly requestId: string;
  readonly journal?: readonly JournalEntry[];
  /** Answers for the first steps that run. */
  readonly resumptions?: readonly Resumption[];
  /** Due after this many milliseconds. Default: 0. */
  readonly dueInMs?: number;
  /** Default: 0. */
  readonly priority?: number;
  /** On whose behalf it runs, such as a user, or the address of a caller without one: subjects take turns and share slots. Default: the user; without a user it is the app's own work. */
  readonly subject?: string | undefined;
  /**
   * Nothing is created while so many executions of the same subject, with the same definition and priority, are due and have no runner. A whole number from 1. Ignored without a subject. Default: unlimited.
   */
  readonly maxWaiting?: number;
  /** Default: no limit. */
  readonly concurrency?: ConcurrencyLimit;
  /** `skip`: nothing is created while an execution with the same key has not ended. */
  readonly singleton?: { readonly key: string; readonly onBusy: 'skip' | 'cancel-running' };
  /** Due, at the earliest, `periodMs` after the `limit`-th last one with the same key was or will be due. */
  readonly throttle?: { readonly key: string; readonly limit: number; readonly periodMs: number };
  /**
   * Due after `delayMs`, but at most `maxDelayMs` after the first of the executions with the same key that have not been claimed and have not ended.
   * Replaces `dueInMs`.
   */
  readonly debounce?: { readonly key: string; readonly delayMs: number; readonly maxDelayMs?: number };
  /** Names the steps that its workflow has now. Default: the id of the workflow. */
  readonly definition?: string;
}

export type CreateOutcome = 'created' | 'taken' | 'skipped' | 'full';

export interface Lease {
  /** The name of the process. */
  readonly runner: string;
  readonly leaseMs: number;
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
  /** The definitions of the executions that it can claim: those with which it last called `claimNext`. None when its lease has run out; absent while it has not asked. */
  readonly definitions?: readonly string[];
}

export interface ClaimOptions {
  /** The definitions that may be claimed, and by which each is replaced. Default: all, unchanged. */
  readonly definitions?: Readonly<Record<string, string>>;
}

export interface ClaimNextOptions {
  /** How many executions are claimed at most: a whole number from 1. */
  readonly limit: number;
  /** How many slots of the process are free: at least `limit`. Default: slots are not shared. */
  readonly freeSlots?: number;
  /** The definitions that may be claimed, and by which each is replaced. */
  readonly definitions: Readonly<Record<string, string>>;
  /** An execution with so many claims in a row without a commit is not claimed. Default: unlimited. */
  readonly maxClaims?: number;
}

export interface NextExecutions {
  /** In the order in which they were claimed. */
  readonly claimed: readonly ClaimedExecution[];
  /** Executions that have reached `maxClaims`. They are due again when `leaseMs` have passed, unless they are quarantined. */
  readonly exhausted: readonly ExhaustedExecution[];
  /**
   * Milliseconds until the next execution with one of these definitions is due that has no runner and is not left out; undefined when there is none. 0: others are due now, or may be, because as many as
   * `limit` were claimed.
   */
  readonly nextDueInMs: number | undefined;
  /** Whether others are due that this runner may claim only when another of its executions has ended: the share of their subject is used up. */
  readonly hasLeftOut: boolean;
}

export interface ExhaustedExecution {
  readonly executionId: string;
  readonly workflowId: string;
  /** Claims in a row without a commit. */
  readonly claimsWithoutCommit: number;
}

export interface Quarantine {
  readonly minClaims: number;
  readonly suspension: Suspension;
  readonly events: readonly NewExecutionEvent[];
}

/** The last events of the executions that end, by their ids. Executions that have ended before get none. */
export type Termination = Readonly<Record<string, readonly NewExecutionEvent[]>>;

export interface Backlog {
  readonly count: number;
  /** How long the oldest of them could have been claimed, in milliseconds; 0 if there is none. */
  readonly oldestDueMs: number;
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

/** All conditions must match. Pages are cut from the matches. */
export interface ExecutionFilter {
  /** Only sub-workflows of this parent; null: only roots. */
  readonly parentExecutionId: string | null;
  /** Only those with one of these ids. */
  readonly ids?: readonly string[];
  readonly workflowId?: string;
  /** Without the executions of these workflows. */
  readonly exceptWorkflowIds?: readonly string[];
  readonly status?: ExecutionStatus;
  readonly userId?: string;
  /** Only those that are in quarantine. */
  readonly isQuarantined?: true;
  /** Created at or after, milliseconds since the epoch. */
  readonly from?: number;
  /** Created at or before. */
  readonly to?: number;
  /** Every value must be equal, compared as JSON. */
  readonly metadata?: JsonObject;
  /**
   * Only what follows this execution in the list, so that a page needs no offset. Nothing if it is not an execution of the same parent, user and workflow as the filter asks for; its
   * other fields may have changed.
   */
  readonly after?: string;
  readonly limit: number;
  readonly offset: number;
  /**
   * How large the page may be, in bytes of JSON, or of memory in a store that has no JSON. Its first execution is returned even if it is larger. A store does not
   * read the others into its process. Default: no limit.
   */
  readonly maxBytes?: number;
  /** Where counting ends: a `total` that is lower is exact. A whole number. Default: {@link defaultMaxTotal}. */
  readonly maxTotal?: number;
}

export interface ExecutionPage {
  readonly executions: readonly Execution[];
  /** How many match on all pages, up to `maxTotal`. */
  readonly total: number;
  /** Whether others follow in the list. */
  readonly hasMore: boolean;
}

/** Counting more takes a store longer than reading a page. */
export const defaultMaxTotal = 10_000;

/** One atomic write by the runner of a root execution, for it and its sub-workflows. */
export interface Commit {
  /** The id of the root. */
  readonly executionId: string;
  /** That of the claimed execution. A different one means that it was deleted, and that its id was used again. */
  readonly creationId: string;
  /** The epoch that the claim returned. A different current epoch means that another runner has claimed the execution. */
  readonly epoch: number;
  /** Unique in the execution. */
  readonly commitId: string;
  /** Number of the root's last event before this commit. */
  readonly expectedSeq: number;
  readonly entries: readonly JournalEntry[];
  /** Of the root and its sub-workflows. */
  readonly changes: readonly ExecutionChange[];
  /** Paths whose suspension, resumption and timer are deleted, before those of this commit are added. */
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
 * What is still needed of the history of an execution: claims leave out the rest, so that they cost the same however long it has run. What was left out once stays left out. A rewind
 * deletes the checkpoint, and then claims return everything again. All other methods always do.
 */
export interface Checkpoint {
  /** The paths of the journal entries so far, those of this commit included, that are still needed. */
  readonly entries: readonly string[];
  /** The ids of the sub-workflows so far that are still needed. Those that have not ended always are. */
  readonly children: readonly string[];
  /** For the runner that claims the execution next. */
  readonly data: JsonValue;
}

export interface Release {
  /** When the execution is due again; null: not before a signal. */
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
  /** `seq`: number of the root's last event. `childSeqs`: the same for each changed sub-workflow; absent when there is none. */
  | {
      readonly status: 'committed';
      readonly signals: number;
      readonly seq: number;
      readonly childSeqs?: Readonly<Record<string, number>>;
    }
  /** Nothing was written: the runner has not read all signals. */
  | { readonly status: 'signalled' }
  /** Nothing was written: the creation, the epoch or the last event differs from the expected one, or the execution was released or does not exist. */
  | { readonly status: 'fenced' };

export interface ResumeRequest {
  /** The id of the root. */
  readonly executionId: string;
  readonly suspensionId: string;
  readonly data: JsonValue;
  readonly resumedBy?: string | undefined;
  readonly requestId: string;
  /** The time for the answer is over. */
  readonly isTimeout?: true;
}

export interface RewindRequest {
  readonly executionId: string;
  readonly expectedSeq: number;
  readonly expectedSignals: number;
  /**
   * Deletes journal entries, suspensions, resumptions and timers at these paths, below them (`path/…`), of their instances (`path:…`) and of their
   * decisions (`path#…`). Sub-workflows there that have not ended are cancelled.
   */
  readonly paths: readonly string[];
  /** Deletes only these journal entries: those of the steps around, which are no longer finished. */
  readonly entries: readonly string[];
  /** Noted with the rewind: the paths at and below which steps get new idempotency keys. Default: `paths`. */
  readonly newKeys?: readonly string[];
  /** Replaces the snapshot of the user, also of sub-workflows. Default: it stays. */
  readonly user?: JsonObject;
  /** Changes of the workflow states of the root and its sub-workflows. */
  readonly states?: readonly StateRewind[];
  /** The answer for the step that runs first. */
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
