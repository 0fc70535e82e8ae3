import type {
  EventRange,
  Execution,
  ExecutionEvent,
  JournalEntry,
  NewExecution,
  NewExecutionEvent,
} from '@halyard/contracts';
import { estimateBytes } from '../estimate-bytes.ts';
import { firstWithin } from '../first-within.ts';
import type { StoredCheckpoint } from './checkpoints.ts';
import type { RunnerLease } from './runner-leases.ts';

type Writable<Fields> = { -readonly [Key in keyof Fields]: Fields[Key] };

/** An execution: its record, which changes in place and never leaves the store, and its events. */
export interface StoredExecution {
  readonly record: Writable<Execution>;
  /** The last ones, up to `record.seq`: of a store that reads them apart, those just added. */
  events: NewExecutionEvent[];
  /** Its sub-workflows, not theirs. Undefined: none. */
  children: StoredChild[] | undefined;
}

/**
 * An execution that is run by itself, with everything of its whole tree that commits, answers and
 * rewinds read and change. Changes are functions of it: every store whose engine is not a database
 * shares them.
 */
export interface ExecutionTree extends StoredExecution {
  /** On whose behalf it runs. */
  readonly subject: string | undefined;
  /** The last entries, in the order of commits, like `events`. */
  journal: JournalEntry[];
  checkpoint: StoredCheckpoint | undefined;
  /** Its sub-workflows, and theirs. Undefined: none. */
  descendants: StoredChild[] | undefined;
  claimsWithoutCommit: number;
  lastCommitId: string | undefined;
  /** The record's signals at the last commit. */
  lastCommitSignals: number;
  /** The last accepted requests to resume it. */
  resumeRequestIds: readonly string[];
  /**
   * The ids of the events that it has received, with the paths of the steps that waited for them.
   */
  received: readonly { readonly path: string; readonly eventId: string }[];
}

/** A tree in the memory of this process, with its place in the orders in which trees are read. */
export interface StoredRoot extends ExecutionTree {
  /** Grows with each created root. */
  readonly order: number;
  /** That of its runner. */
  lease: RunnerLease | undefined;
  /**
   * When it may be claimed if it has no runner, in milliseconds since the epoch. Infinity: not
   * before a signal.
   */
  claimableAt: number;
  /** When the lease would end that the last claim asked for, in monotonic time. */
  claimEndsAt: number;
  /** The names and keys of the events that it waits for. */
  channels: readonly string[];
  /** Undefined: it has not ended. */
  ended: EndedRoot | undefined;
}

export interface EndedRoot {
  /** Grows with each root that ends. */
  readonly order: number;
  /** Roughly how much memory the root takes. */
  readonly bytes: number;
}

/** An execution that runs as a step of another. */
export interface StoredChild extends StoredExecution {
  readonly root: ExecutionTree;
}

type NewRecord = Omit<NewExecution, 'events'> &
  Pick<Execution, 'creationId' | 'parentExecutionId' | 'rootExecutionId' | 'path'>;

/** Shared, because most executions have none of these and many executions may be suspended. */
export const none: readonly never[] = Object.freeze([]);

/** The record of an execution that has just been created. */
export function newRecord(values: NewRecord, now: number): Writable<Execution> {
  return {
    id: values.id,
    creationId: values.creationId,
    workflowId: values.workflowId,
    workflowName: values.workflowName,
    status: 'running',
    definition: '',
    priority: 0,
    concurrency: null,
    waitingSince: null,
    quarantinedAt: null,
    parentExecutionId: values.parentExecutionId,
    rootExecutionId: values.rootExecutionId,
    path: values.path,
    input: values.input,
    context: values.context,
    workflowState: values.workflowState,
    metadata: values.metadata,
    userId: values.userId,
    conversationId: values.conversationId,
    user: values.user,
    createdAt: now,
    updatedAt: now,
    endedAt: null,
    seq: 0,
    suspensions: none,
    resumptions: none,
    timers: none,
    request: null,
    rewinds: none,
    signals: 0,
    epoch: 0,
    runner: null,
  };
}

/**
 * A copy of the record, for a caller of the port. The suspensions of a sub-workflow are those of
 * its root that are below its path.
 */
export function toExecution(stored: ExecutionTree | StoredChild): Execution {
  if (!('root' in stored)) return { ...stored.record };
  const below = `${stored.record.path}/`;
  return { ...stored.record, suspensions: stored.root.record.suspensions.filter(({ path }) => path.startsWith(below)) };
}

/**
 * Events of the range: as many as have at most `maxBytes` together, and at least one. None of
 * another creation.
 */
export function listEvents(
  stored: StoredExecution,
  { after, creationId = stored.record.creationId, limit, maxBytes = Infinity }: EventRange,
): readonly ExecutionEvent[] {
  if (stored.record.creationId !== creationId) return [];
  const from = Math.max(0, Math.floor(after));
  const events = stored.events.slice(from, from + limit).map((event, index) => ({ seq: from + index + 1, event }));
  return firstWithin(events, maxBytes, ({ event }) => estimateBytes(event));
}

/** The first events of each, `limit` at most, and `maxBytes` of all. */
export function listHistories(
  executions: readonly StoredExecution[],
  limit: number,
  maxBytes: number,
): ReadonlyMap<string, readonly ExecutionEvent[]> {
  let bytes = 0;
  const fits = ({ event }: ExecutionEvent): boolean => {
    if (maxBytes !== Infinity) bytes += estimateBytes(event);
    return bytes <= maxBytes;
  };
  return new Map(
    executions.map((stored) => {
      const events = listEvents(stored, { after: 0, limit });
      const end = events.findIndex((event) => !fits(event));
      return [stored.record.id, end === -1 ? events : events.slice(0, end)];
    }),
  );
}

/** A root and all its sub-workflows. */
export function listTree<Tree extends ExecutionTree>(root: Tree): readonly (Tree | StoredChild)[] {
  return root.descendants === undefined ? [root] : [root, ...root.descendants];
}

export function isFinal({ status }: Pick<Execution, 'status'>): boolean {
  return status === 'completed' || status === 'error' || status === 'cancelled';
}

export function isLeased({ record }: ExecutionTree, epoch: number): boolean {
  return record.runner !== null && record.epoch === epoch;
}

/**
 * Whether so many claims were in vain that no process should claim it again: twice as many with a
 * request, which is then carried out without a quarantine, but not for ever.
 */
export function isExhausted({ claimsWithoutCommit, record }: ExecutionTree, maxClaims: number): boolean {
  return claimsWithoutCommit >= (record.request === null ? maxClaims : 2 * maxClaims);
}

/** When it may be claimed, in milliseconds since the epoch. */
export function mayBeClaimedAt({ claimableAt, lease }: StoredRoot): number {
  return lease?.until ?? claimableAt;
}

/**
 * An array that grew has room for 16 more items, which a suspended execution does not need: 230
 * bytes (`test:load`).
 */
export function trimArrays(root: StoredRoot): void {
  root.journal = [...root.journal];
  root.events = [...root.events];
}
