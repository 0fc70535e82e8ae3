import {
  type Clock,
  type CreateOptions,
  defaultMaxTotal,
  type Execution,
  type ExecutionEvent,
  type ExecutionFilter,
  type ExecutionPage,
  type NewExecution,
  type NewExecutionEvent,
  type Owner,
  subjectForUser,
} from '@halyard/contracts';
import { estimateBytes } from '../estimate-bytes.ts';
import { firstWithin } from '../first-within.ts';
import { SetsByKey } from '../sets-by-key.ts';
import { SortedArray } from '../sorted-array.ts';
import { DueExecutions } from './due-executions.ts';
import { EventWaits } from './event-waits.ts';
import { matchesFilter } from './matches-filter.ts';
import { StartRules } from './start-rules.ts';
import {
  listEvents,
  newRecord,
  none,
  type StoredChild,
  type StoredExecution,
  type StoredRoot,
  toExecution,
  listTree,
  trimArrays,
} from './stored-execution.ts';
import { UnfinishedBytes, type UnfinishedLimits } from './unfinished-bytes.ts';

export interface ExecutionLimits extends UnfinishedLimits {
  /** How many finished root executions are stored. Default: 10 000. */
  readonly maxFinished?: number | undefined;
  /** Roughly how many bytes finished executions may take. Default: 64 MiB. */
  readonly maxFinishedBytes?: number | undefined;
}

/**
 * All executions, in the orders in which they are read. Beyond its limits, it deletes the finished
 * execution that ended first, and accepts no new ones while too much is unfinished.
 */
export class ExecutionTable {
  readonly due: DueExecutions;
  readonly eventWaits: EventWaits = new EventWaits();
  readonly startRules: StartRules = new StartRules();
  readonly #unfinished: UnfinishedBytes;
  readonly #maxFinished: number;
  readonly #maxFinishedBytes: number;
  /** In the order of creation, like those of a workflow and of a user. */
  readonly #roots = new Map<string, StoredRoot>();
  readonly #rootsByWorkflow = new SetsByKey<StoredRoot>();
  readonly #rootsByUser = new SetsByKey<StoredRoot>();
  readonly #children = new Map<string, StoredChild>();
  /**
   * In the order in which they ended. Not a Set: to find its first item, a Set passes all places
   * that were freed before it.
   */
  readonly #finished = new SortedArray<StoredRoot>((one, other) => (one.ended?.order ?? 0) - (other.ended?.order ?? 0));
  #finishedBytes = 0;
  #created = 0;
  #ended = 0;

  constructor(clock: Clock, limits: ExecutionLimits = {}) {
    const { maxFinished = 10_000, maxFinishedBytes = 64 * 1024 * 1024 } = limits;
    this.#unfinished = new UnfinishedBytes(limits);
    this.due = new DueExecutions(clock);
    this.#maxFinished = maxFinished;
    this.#maxFinishedBytes = maxFinishedBytes;
  }

  /** How many executions are stored, sub-workflows included. */
  get size(): number {
    return this.#roots.size + this.#children.size;
  }

  get(id: string): StoredRoot | StoredChild | undefined {
    return this.#roots.get(id) ?? this.#children.get(id);
  }

  getRoot(id: string): StoredRoot | undefined {
    return this.#roots.get(id);
  }

  getChild(id: string): StoredChild | undefined {
    return this.#children.get(id);
  }

  find(owner: Owner, id: string): StoredRoot | StoredChild | undefined {
    const stored = this.get(id);
    return stored !== undefined && isOwner(owner, stored) ? stored : undefined;
  }

  findRoot(owner: Owner, id: string): StoredRoot | undefined {
    const root = this.#roots.get(id);
    return root !== undefined && isOwner(owner, root) ? root : undefined;
  }

  /** A page of the executions that match, newest first. */
  list(owner: Owner, filter: ExecutionFilter): ExecutionPage {
    const userId = owner === 'anyone' ? filter.userId : owner.user;
    if (filter.userId !== undefined && filter.userId !== userId) return { executions: [], total: 0, hasMore: false };

    const { limit, maxBytes = Infinity, maxTotal = defaultMaxTotal, offset } = filter;
    const found = this.#candidates(filter, userId).filter(({ record }) => matchesFilter(record, filter, userId));
    const end = found.length - offset;
    const newest = found.slice(Math.max(0, end - limit), Math.max(0, end)).toReversed();
    const page = firstWithin(newest, maxBytes, ({ record }) => estimateBytes(record));
    return {
      executions: page.map(toExecution),
      total: Math.min(found.length, maxTotal),
      hasMore: offset + page.length < found.length,
    };
  }

  /** The roots of a user, oldest first. */
  rootsOfUser(userId: string): readonly StoredRoot[] {
    return [...this.#rootsByUser.get(userId)];
  }

  /**
   * The executions of a user, oldest first. Those that are deleted during the iteration are left
   * out.
   */
  *listOfUser(
    userId: string,
  ): Generator<{ readonly execution: Execution; readonly events: readonly ExecutionEvent[] }> {
    for (const root of this.rootsOfUser(userId)) {
      for (const stored of listTree(root)) {
        if (this.get(stored.record.id) !== stored) continue;
        yield { execution: toExecution(stored), events: listEvents(stored, { after: 0, limit: Infinity }) };
      }
    }
  }

  /**
   * @throws HalyardError (`TOO_MANY_EXECUTIONS`), UnavailableError (`OVERLOADED`) while too much is
   * unfinished.
   */
  addRoot(execution: NewExecution, options: CreateOptions, now: number): StoredRoot {
    const { definition = execution.workflowId, requestId, journal = none, resumptions = none } = options;
    this.#unfinished.checkRoom(execution.userId);
    const { dueAt, keys } = this.startRules.plan(options, now);
    const { concurrency = null, priority = 0 } = options;
    const place = { parentExecutionId: null, rootExecutionId: execution.id, path: '' };
    const record = newRecord({ ...execution, ...place, creationId: requestId }, now);
    record.definition = definition;
    record.priority = priority;
    record.concurrency = concurrency;
    record.seq = execution.events.length;
    record.resumptions = resumptions;
    const root: StoredRoot = {
      record,
      events: [...execution.events],
      children: undefined,
      order: (this.#created += 1),
      subject: options.subject ?? subjectForUser(execution.userId),
      journal: [...journal],
      checkpoint: undefined,
      descendants: undefined,
      claimsWithoutCommit: 0,
      lease: undefined,
      claimableAt: Infinity,
      claimEndsAt: -Infinity,
      lastCommitId: undefined,
      lastCommitSignals: 0,
      resumeRequestIds: none,
      channels: none,
      received: none,
      ended: undefined,
    };
    this.#roots.set(execution.id, root);
    this.#unfinished.set(root, countBytes(root));
    this.#rootsByWorkflow.add(execution.workflowId, root);
    if (execution.userId !== undefined) this.#rootsByUser.add(execution.userId, root);
    this.due.move(root, () => {
      root.claimableAt = dueAt;
    });
    this.startRules.created(root, keys);
    return root;
  }

  addChild(child: StoredChild): void {
    this.#children.set(child.record.id, child);
    (child.root.descendants ??= []).push(child);
    const parent = this.get(child.record.parentExecutionId ?? '');
    if (parent !== undefined) (parent.children ??= []).push(child);
  }

  /** To be called when the runner of a root that has not ended has released it. */
  released(root: StoredRoot): void {
    trimArrays(root);
    this.#unfinished.set(root, countBytes(root));
  }

  /**
   * To be called when a root has ended. A root that exceeds the limits by itself is stored until
   * the next one ends.
   */
  addFinished(root: StoredRoot): void {
    this.startRules.ended(root);
    this.#unfinished.delete(root);
    root.ended = { order: (this.#ended += 1), bytes: countBytes(root) };
    this.#finished.add(root);
    this.#finishedBytes += root.ended.bytes;
    for (let oldest = this.#finished.first; oldest !== undefined && oldest !== root; oldest = this.#finished.first) {
      if (this.#finished.size <= this.#maxFinished && this.#finishedBytes <= this.#maxFinishedBytes) return;
      this.delete(oldest);
    }
  }

  /** To be called when a root that may have ended runs again. */
  removeFinished(root: StoredRoot): void {
    this.#finished.remove(root);
    if (root.ended !== undefined) {
      this.#finishedBytes -= root.ended.bytes;
      this.#unfinished.set(root, root.ended.bytes);
    }
    root.ended = undefined;
    this.startRules.add(root);
  }

  /** Deletes the roots that ended at `endedBy` or before, `limit` at most. @returns how many. */
  purge(endedBy: number, limit: number): number {
    let purged = 0;
    for (let oldest = this.#finished.first; oldest !== undefined && purged < limit; oldest = this.#finished.first) {
      if ((oldest.record.endedAt ?? Infinity) > endedBy) break;
      this.delete(oldest);
      purged += 1;
    }
    return purged;
  }

  /** Deletes a root, whether it has ended or not, with its sub-workflows. */
  delete(root: StoredRoot): void {
    const { id, workflowId, userId } = root.record;
    this.due.move(root, () => {
      root.lease = undefined;
      root.claimableAt = Infinity;
      root.record.waitingSince = null;
    });
    this.eventWaits.remove(root);
    this.removeFinished(root);
    this.#unfinished.delete(root);
    this.startRules.remove(root);
    this.#rootsByWorkflow.delete(workflowId, root);
    if (userId !== undefined) this.#rootsByUser.delete(userId, root);
    for (const child of root.descendants ?? none) this.#children.delete(child.record.id);
    this.#roots.delete(id);
  }

  /** Oldest first; not all of them need to match the filter. */
  #candidates(filter: ExecutionFilter, userId: string | undefined): readonly (StoredRoot | StoredChild)[] {
    const all = this.#listed(filter, userId);
    const { after, workflowId } = filter;
    if (after === undefined) return all;
    const place = all.findIndex(({ record }) => record.id === after);
    const found = all[place]?.record;
    const isListed =
      found !== undefined && matchesFilter(found, workflowId === undefined ? {} : { workflowId }, userId);
    return isListed ? all.slice(0, place) : [];
  }

  /** In the order of creation. */
  #listed(
    { parentExecutionId, workflowId }: ExecutionFilter,
    userId: string | undefined,
  ): readonly (StoredRoot | StoredChild)[] {
    if (parentExecutionId !== null) return this.get(parentExecutionId)?.children ?? [];
    if (userId !== undefined) return [...this.#rootsByUser.get(userId)];
    return [...(workflowId === undefined ? this.#roots.values() : this.#rootsByWorkflow.get(workflowId))];
  }
}

function isOwner(owner: Owner, { record }: StoredExecution): boolean {
  return owner === 'anyone' || record.userId === owner.user;
}

function countBytes(root: StoredRoot): number {
  let bytes = 0;
  for (const { error, output } of root.journal) bytes += bytesPerEntry + estimateBytes(output) + estimateBytes(error);
  for (const { record, events } of listTree(root)) {
    const { context, error, input, metadata, output, resumptions, suspensions, user, workflowState } = record;
    bytes += bytesPerRecord + estimateBytes([context, error, input, metadata, output, user, workflowState]);
    bytes += estimateBytes([resumptions, suspensions]);
    for (const event of events) bytes += isStepEvent(event) ? bytesPerStepEvent : estimateBytes(event);
  }
  return bytes;
}

/** Without the values of the author and of the caller. */
const bytesPerRecord = 500;
const bytesPerEntry = 170;
/** Its input and output are also in the journal and count once. */
const bytesPerStepEvent = 150;

function isStepEvent({ type }: NewExecutionEvent): boolean {
  return type === 'step-start' || type === 'step-complete';
}
