import type {
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
import type { JsonObject, JsonValue } from './json.ts';
import type { Owner } from './owner.ts';

/**
 * Where executions live: the one truth about them. What happens to an execution is a commit, written whole or not at all.
 *
 * At any time one runner at most may write: the one whose claim gave the current epoch. All times are by the store's clock.
 * An execution wants a runner when nobody holds it and it is due, or when its holder's lease has run out; {@link due} finds those,
 * and {@link claim} takes one.
 */
export interface ExecutionStore {
  /**
   * Writes a new root execution, due at once or after `dueInMs`. With `journal`, steps that were recorded elsewhere count as done.
   *
   * @returns `taken` when the id is in use. The same `requestId` again is `created` again, and changes nothing.
   */
  create(execution: NewExecution, options: CreateOptions): Promise<'created' | 'taken'>;

  find(owner: Owner, id: string): Promise<Execution | undefined>;

  /** Newest first; of executions made at one moment, the later one first. `total` counts all that match. */
  list(
    owner: Owner,
    filter: ExecutionFilter,
  ): Promise<{ readonly executions: readonly Execution[]; readonly total: number }>;

  /** What was recorded, in the order of commits. Of a root: what its sub-workflows recorded is in it, they have none of their own. */
  journal(owner: Owner, id: string): Promise<readonly JournalEntry[]>;

  /** Events after `after`, in order, `limit` at most. */
  events(
    owner: Owner,
    id: string,
    range: { readonly after: number; readonly limit: number },
  ): Promise<readonly ExecutionEvent[]>;

  /** The first events of each of several executions, `limit` of each at most; those not found are absent. */
  histories(
    owner: Owner,
    ids: readonly string[],
    limit: number,
  ): Promise<ReadonlyMap<string, readonly ExecutionEvent[]>>;

  /**
   * Takes an execution that wants a runner: its epoch grows, its status is `running`. Of parallel calls one wins.
   *
   * @returns undefined when it does not want one, or is not there.
   */
  claim(id: string, lease: Lease): Promise<ClaimedExecution | undefined>;

  /** Prolongs leases that are still held. @returns the ids that are not: their epoch is another by now, they were let go, or are gone. */
  renew(
    held: readonly { readonly executionId: string; readonly epoch: number }[],
    lease: Lease,
  ): Promise<readonly string[]>;

  /**
   * Writes what a runner did, whole or not at all. The last `commitId` again is answered like the first time. Rejects, with nothing written,
   * when a change names an execution that is not of this tree, or creates one whose id is in use.
   */
  commit(commit: Commit): Promise<CommitOutcome>;

  /**
   * Answers one pending suspension. Of any number of parallel answers one is `resumed`. An execution at rest runs again, due at once.
   * The same `requestId` again is answered like the first time.
   */
  resume(owner: Owner, resume: ResumeRequest): Promise<'resumed' | 'not-suspended'>;

  /**
   * Leaves a request for whoever runs the execution, and makes it due at once when nobody does. A `cancel` replaces a `suspend`, not the
   * other way. Only while it is running or suspended. `id` is the root's: a sub-workflow's is `not-found`.
   */
  request(owner: Owner, id: string, request: ExecutionRequest): Promise<'requested' | 'idle' | 'not-found'>;

  /**
   * Forgets what was recorded from a step on, and makes the execution due at once, whoever held it, and also when it had ended: its
   * epoch grows. Its events stay.
   *
   * @returns `outdated` when something happened since `expectedSeq` and `expectedSignals` were read.
   */
  rewind(owner: Owner, rewind: RewindRequest): Promise<'rewound' | 'outdated'>;

  /** Executions of these workflows that want a runner now, the longest due first. */
  due(
    workflowIds: readonly string[],
    limit: number,
  ): Promise<readonly { readonly executionId: string; readonly workflowId: string }[]>;

  /** Milliseconds until the next execution that nobody holds is due; undefined when there is none. Never negative. */
  nextDue(): Promise<number | undefined>;

  /**
   * Calls `listener` after something happened to the execution: perhaps late, perhaps more than once for one thing, perhaps for nothing.
   * `signal`: others left an answer or a request, or rewound it; `commit`: anything else.
   *
   * @returns a function that stops it.
   */
  watch(id: string, listener: (change: 'commit' | 'signal') => void): () => void;

  /** Deletes finished root executions that ended `olderThanMs` ago or earlier, with all that belongs to them, `limit` at most. @returns how many. */
  purge(olderThanMs: number, limit: number): Promise<number>;
}

export interface CreateOptions {
  readonly requestId: string;
  readonly journal?: readonly JournalEntry[];
  /** What the first step to run is given. */
  readonly resumptions?: readonly Resumption[];
  /** It wants no runner before this many milliseconds have passed. Default: 0. */
  readonly dueInMs?: number;
}

export interface Lease {
  /** Names the process that holds it. */
  readonly runner: string;
  readonly leaseMs: number;
}

export interface ClaimedExecution {
  readonly execution: Execution;
  readonly journal: readonly JournalEntry[];
  /** Its sub-workflows, and theirs. */
  readonly children: readonly Execution[];
  /** How often in a row it was claimed without a commit since, this time included. */
  readonly claimsWithoutCommit: number;
  /** The store's time. */
  readonly now: number;
}

/** All conditions hold together; pages are cut from what matches. */
export interface ExecutionFilter {
  /** The parent whose sub-workflows are wanted; null for roots. */
  readonly parentExecutionId: string | null;
  readonly workflowId?: string;
  readonly status?: ExecutionStatus;
  readonly userId?: string;
  /** Created at or after, milliseconds since the epoch. */
  readonly from?: number;
  /** Created at or before. */
  readonly to?: number;
  /** Each key's value is equal, as JSON. */
  readonly metadata?: JsonObject;
  readonly limit: number;
  readonly offset: number;
}

/** One atomic write by the runner of a root execution, for it and its sub-workflows. */
export interface Commit {
  /** The root's. */
  readonly executionId: string;
  /** What the claim gave; another one by now means that somebody else runs it. */
  readonly epoch: number;
  /** Unique in the execution. */
  readonly commitId: string;
  /** Number of the root's last event before this commit. */
  readonly expectedSeq: number;
  readonly entries: readonly JournalEntry[];
  /** Of the root and its sub-workflows. */
  readonly changes: readonly ExecutionChange[];
  /** Paths whose suspension, resumption and timer are over. Applied before those of this commit are added. */
  readonly settled: readonly string[];
  readonly suspensions: readonly Suspension[];
  readonly timers: readonly Timer[];
  /** The request that was there is done. */
  readonly requestDone?: boolean;
  /** The runner lets go. */
  readonly release?: Release;
}

export interface Release {
  /** When a runner is wanted next; null: not before a signal. */
  readonly dueAt: number | null;
  /** The signals that the runner knows of. With others waiting, nothing is written. */
  readonly expectedSignals: number;
}

/** What changes in one execution. Absent fields stay as they are. */
export interface ExecutionChange {
  readonly id: string;
  /** A sub-workflow that begins with this commit. */
  readonly created?: Omit<NewExecution, 'id' | 'events'> & {
    readonly parentExecutionId: string;
    readonly path: string;
  };
  /** A final one of the root clears what it waits for, and lets go of it. */
  readonly status?: ExecutionStatus;
  /** With a final status: what came of it. */
  readonly output?: JsonValue;
  readonly error?: ExecutionError;
  /** Fields of the state that are set, others stay; applied in the order of commits. */
  readonly statePatch?: JsonObject;
  readonly events: readonly NewExecutionEvent[];
}

export type CommitOutcome =
  /** `seq`: number of the root's last event. `childSeqs`: of each sub-workflow that it changed; absent when there is none. */
  | {
      readonly status: 'committed';
      readonly signals: number;
      readonly seq: number;
      readonly childSeqs?: Readonly<Record<string, number>>;
    }
  /** Nothing was written: signals came in that the release did not know of. */
  | { readonly status: 'signalled' }
  /** Nothing was written: another epoch runs the execution, it was let go, has another last event than expected, or is gone. */
  | { readonly status: 'fenced' };

export interface ResumeRequest {
  /** The root's. */
  readonly executionId: string;
  readonly suspensionId: string;
  readonly data: JsonValue;
  readonly resumedBy?: string | undefined;
  readonly requestId: string;
}

export interface RewindRequest {
  readonly executionId: string;
  readonly expectedSeq: number;
  readonly expectedSignals: number;
  /**
   * What is forgotten: journal entries, suspensions, resumptions and timers at these paths, below them (`path/…`), their instances (`path:…`)
   * and decisions (`path#…`). Sub-workflows there that have not ended are cancelled.
   */
  readonly paths: readonly string[];
  /** Journal entries that are forgotten alone: of the steps around, which are not done any more. */
  readonly entries: readonly string[];
  /** What the step that runs first is given. */
  readonly resumption?: Resumption;
}
