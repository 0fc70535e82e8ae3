import type {
  ClaimedExecution,
  Clock,
  Commit,
  CommitOutcome,
  CreateOptions,
  Execution,
  ExecutionEvent,
  ExecutionFilter,
  ExecutionRequest,
  ExecutionStore,
  Job,
  JournalEntry,
  Lease,
  NewExecution,
  Owner,
  ResumeRequest,
  RewindRequest,
} from '@halyard/contracts';
import { Watchers } from '../watchers.ts';
import { claimedExecution } from './claimed-execution.ts';
import { commitChanges, lastOutcome } from './commit-changes.ts';
import { executionRecord } from './execution-record.ts';
import { ExecutionTable } from './execution-table.ts';
import { FinishedExecutions, type RetentionOptions } from './finished-executions.ts';
import { listExecutions } from './list-executions.ts';
import { resumeRoot } from './resume-root.ts';
import { rewindRoot } from './rewind-root.ts';
import { isFinal, type StoredExecution, type StoredRoot } from './stored-execution.ts';

export type InMemoryExecutionStoreOptions = RetentionOptions;

const fenced: CommitOutcome = { status: 'fenced' };
const signalled: CommitOutcome = { status: 'signalled' };

/**
 * Executions of one process, gone when it ends. Each method does its work before it returns, so that nothing comes in between.
 *
 * Values are kept as they are given and handed out as they are kept: nobody may change them. What has ended is kept within the limits of the options,
 * the rest until it ends.
 */
export class InMemoryExecutionStore implements ExecutionStore {
  readonly #clock: Clock;
  readonly #table: ExecutionTable = new ExecutionTable();
  readonly #finished: FinishedExecutions;
  readonly #watchers: Watchers = new Watchers();

  constructor(clock: Clock, options: InMemoryExecutionStoreOptions = {}) {
    this.#clock = clock;
    this.#finished = new FinishedExecutions(this.#table, options);
  }

  /** How many executions are kept, sub-workflows included. */
  get size(): number {
    return this.#table.size;
  }

  async create(execution: NewExecution, options: CreateOptions): Promise<'created' | 'taken'> {
    const stored = this.#table.get(execution.id);
    if (stored !== undefined)
      return 'requestId' in stored && stored.requestId === options.requestId ? 'created' : 'taken';
    this.#table.addRoot(execution, options, this.#clock.now());
    this.#watchers.notify(execution.id, 'commit');
    return 'created';
  }

  async find(owner: Owner, id: string): Promise<Execution | undefined> {
    const stored = this.#table.find(owner, id);
    return stored && executionRecord(stored);
  }

  async list(
    owner: Owner,
    filter: ExecutionFilter,
  ): Promise<{ readonly executions: readonly Execution[]; readonly total: number }> {
    return listExecutions(this.#table, owner, filter);
  }

  async journal(owner: Owner, id: string): Promise<readonly JournalEntry[]> {
    return this.#table.findRoot(owner, id)?.journal.slice() ?? [];
  }

  async events(
    owner: Owner,
    id: string,
    { after, limit }: { readonly after: number; readonly limit: number },
  ): Promise<readonly ExecutionEvent[]> {
    const stored = this.#table.find(owner, id);
    return stored === undefined ? [] : eventsOf(stored, after, limit);
  }

  async histories(
    owner: Owner,
    ids: readonly string[],
    limit: number,
  ): Promise<ReadonlyMap<string, readonly ExecutionEvent[]>> {
    const histories = new Map<string, readonly ExecutionEvent[]>();
    for (const id of ids) {
      const stored = this.#table.find(owner, id);
      if (stored !== undefined) histories.set(id, eventsOf(stored, 0, limit));
    }
    return histories;
  }

  async claim(id: string, { runner, leaseMs }: Lease): Promise<ClaimedExecution | undefined> {
    const root = this.#table.getRoot(id);
    const now = this.#clock.now();
    if (root === undefined || root.wantsRunnerAt > now) return undefined;
    root.status = 'running';
    root.epoch += 1;
    root.runner = runner;
    root.claimsWithoutCommit += 1;
    this.#table.due.place(root, now + leaseMs);
    this.#watchers.notify(id, 'commit');
    return claimedExecution(root, now);
  }

  async renew(
    held: readonly { readonly executionId: string; readonly epoch: number }[],
    { leaseMs }: Lease,
  ): Promise<readonly string[]> {
    const leaseUntil = this.#clock.now() + leaseMs;
    const lost: string[] = [];
    for (const { executionId, epoch } of held) {
      const root = this.#table.getRoot(executionId);
      if (root !== undefined && isHeldAt(root, epoch)) this.#table.due.place(root, leaseUntil);
      else lost.push(executionId);
    }
    return lost;
  }

  async commit(commit: Commit): Promise<CommitOutcome> {
    const root = this.#table.getRoot(commit.executionId);
    if (root === undefined) return fenced;
    if (root.lastCommitId === commit.commitId) return lastOutcome(this.#table, root);
    if (!isHeldAt(root, commit.epoch) || root.events.length !== commit.expectedSeq) return fenced;
    if (commit.release !== undefined && commit.release.expectedSignals !== root.signals) return signalled;

    const outcome = commitChanges(this.#table, root, commit, this.#clock.now());
    if (isFinal(root.status)) this.#finish(root);
    else if (commit.release !== undefined) this.#letGo(root, commit.release.dueAt ?? Infinity);

    this.#watchers.notify(root.id, 'commit');
    for (const change of commit.changes) if (change.id !== root.id) this.#watchers.notify(change.id, 'commit');
    return outcome;
  }

  async resume(owner: Owner, resume: ResumeRequest): Promise<'resumed' | 'not-suspended'> {
    const root = this.#table.findRoot(owner, resume.executionId);
    const answered = root && resumeRoot(root, resume);
    if (root === undefined || answered === undefined) return 'not-suspended';
    if (answered === 'again') return 'resumed';
    this.#signal(root);

    this.#watchers.notify(root.id, 'signal');
    if (answered.executionId !== root.id) this.#watchers.notify(answered.executionId, 'signal');
    return 'resumed';
  }

  async request(owner: Owner, id: string, request: ExecutionRequest): Promise<'requested' | 'idle' | 'not-found'> {
    const root = this.#table.findRoot(owner, id);
    if (root === undefined) return 'not-found';
    if (isFinal(root.status)) return 'idle';
    if (root.request?.kind !== 'cancel') root.request = request;
    this.#signal(root);
    this.#watchers.notify(id, 'signal');
    return 'requested';
  }

  async rewind(owner: Owner, rewind: RewindRequest): Promise<'rewound' | 'outdated'> {
    const root = this.#table.findRoot(owner, rewind.executionId);
    if (root === undefined) return 'outdated';
    if (root.events.length !== rewind.expectedSeq || root.signals !== rewind.expectedSignals) return 'outdated';
    const now = this.#clock.now();
    this.#finished.remove(root);
    rewindRoot(root, rewind, now);
    this.#table.due.place(root, now);
    this.#watchers.notify(root.id, 'signal');
    for (const child of root.descendants ?? []) this.#watchers.notify(child.id, 'signal');
    return 'rewound';
  }

  async due(workflowIds: readonly string[], limit: number): Promise<readonly Job[]> {
    const roots = this.#table.due.due(this.#clock.now(), new Set(workflowIds), limit);
    return roots.map(({ id, workflowId }) => ({ executionId: id, workflowId }));
  }

  async nextDue(): Promise<number | undefined> {
    const at = this.#table.due.nextDueAt();
    return at === undefined ? undefined : Math.max(0, at - this.#clock.now());
  }

  watch(id: string, listener: (change: 'commit' | 'signal') => void): () => void {
    return this.#watchers.add(id, listener);
  }

  async purge(olderThanMs: number, limit: number): Promise<number> {
    return this.#finished.purge(this.#clock.now() - olderThanMs, limit);
  }

  /** Everything about a user's root executions and their sub-workflows, oldest first. */
  *allOf(userId: string): Generator<{ readonly execution: Execution; readonly events: readonly ExecutionEvent[] }> {
    for (const root of this.#table.rootsOf(undefined, userId).toArray()) {
      for (const stored of [root, ...(root.descendants ?? [])]) {
        if (this.#table.get(stored.id) !== stored) continue;
        yield { execution: executionRecord(stored), events: eventsOf(stored, 0, Infinity) };
      }
    }
  }

  /** Deletes a user's root executions and their sub-workflows, those that run, too: their runner's next commit finds nothing. @returns how many roots. */
  deleteAllOf(userId: string): number {
    const roots = this.#table.rootsOf(undefined, userId).toArray();
    for (const root of roots) {
      this.#finished.delete(root);
      this.#watchers.notify(root.id, 'commit');
      for (const child of root.descendants ?? []) this.#watchers.notify(child.id, 'commit');
    }
    return roots.length;
  }

  /** Something has come in from outside: whoever holds it will see, else somebody is wanted at once. */
  #signal(root: StoredRoot): void {
    const now = this.#clock.now();
    root.signals += 1;
    root.updatedAt = now;
    if (root.runner === null) this.#table.due.place(root, now);
  }

  #letGo(root: StoredRoot, dueAt: number): void {
    root.runner = null;
    root.trim();
    this.#table.due.place(root, dueAt);
  }

  #finish(root: StoredRoot): void {
    this.#letGo(root, Infinity);
    root.suspensions = undefined;
    root.resumptions = undefined;
    root.timers = undefined;
    root.request = null;
    this.#finished.add(root);
  }
}

function isHeldAt(root: StoredRoot, epoch: number): boolean {
  return root.runner !== null && root.epoch === epoch;
}

function eventsOf({ events }: StoredExecution, after: number, limit: number): readonly ExecutionEvent[] {
  return events.slice(after, after + limit).map((event, index) => ({ seq: after + index + 1, event }));
}
