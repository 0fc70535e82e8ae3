import {
  type Backlog,
  type ClaimedExecution,
  type ClaimNextOptions,
  type ClaimOptions,
  type Clock,
  type Commit,
  type CommitOutcome,
  type CreateOptions,
  type CreateOutcome,
  type EventDelivery,
  type EventRange,
  type Execution,
  type ExecutionEvent,
  type ExecutionFilter,
  type ExecutionPage,
  type ExecutionRequest,
  type ExecutionStore,
  type Job,
  type JournalEntry,
  type Lease,
  type NewExecution,
  type NewPublishedEvent,
  type NextExecutions,
  type Owner,
  type Publication,
  type Quarantine,
  type ResumeRequest,
  type RewindRequest,
  type Runner,
  type Suspension,
  monotonicTime,
  type Termination,
} from '@halyard/contracts';
import type { InMemoryWebhookStore } from '../in-memory-webhook-store.ts';
import { Watchers } from '../watchers.ts';
import { announcing } from './announce-execution.ts';
import { commitChanges, toOutcome } from './commit-changes.ts';
import { isWaitFor } from './event-waits.ts';
import { type ExecutionLimits, ExecutionTable } from './execution-table.ts';
import { mayReceive, PublishedEvents, type StoredEvent } from './published-events.ts';
import { quarantineRoot, receiveEvent, resumeRoot, rewindRoot, terminateRoot } from './root-changes.ts';
import { RootClaims } from './root-claims.ts';
import {
  listEvents,
  listHistories,
  isExhausted,
  isFinal,
  isLeased,
  none,
  type StoredRoot,
  toExecution,
  listTree,
} from './stored-execution.ts';

export type InMemoryExecutionStoreOptions = ExecutionLimits;

/** The watched id for due executions. No execution has this id. */
const anyDue = '';

type HeldExecutions = Parameters<ExecutionStore['renew']>[0];

/**
 * Executions of one process, gone when it ends. Each method does its work before it returns, so
 * that no other call runs in between.
 *
 * Values are stored and returned without copies: callers must not change them. Executions are
 * stored until they end, finished ones within the limits of the options. While unfinished ones have
 * reached theirs, `create` rejects.
 */
export class InMemoryExecutionStore implements ExecutionStore {
  readonly #clock: Clock;
  readonly #table: ExecutionTable;
  readonly #watchers: Watchers = new Watchers();
  readonly #publishedEvents = new PublishedEvents();
  readonly #claims: RootClaims;
  readonly #webhooks: InMemoryWebhookStore | undefined;

  constructor(clock: Clock, options: InMemoryExecutionStoreOptions = {}, webhooks?: InMemoryWebhookStore) {
    this.#clock = clock;
    this.#webhooks = webhooks;
    this.#table = new ExecutionTable(clock, options);
    this.#claims = new RootClaims(clock, this.#table.due, this.#watchers);
  }

  /** How many executions are stored, sub-workflows included. */
  get size(): number {
    return this.#table.size;
  }

  /**
   * @throws HalyardError (`TOO_MANY_EXECUTIONS`) when the executions of the user have reached their
   * limit, UnavailableError (`OVERLOADED`) when those of all have.
   */
  async create(execution: NewExecution, options: CreateOptions): Promise<CreateOutcome | ClaimedExecution> {
    if (this.#table.get(execution.id) !== undefined) {
      return this.#table.getRoot(execution.id)?.record.creationId === options.requestId ? 'created' : 'taken';
    }
    const now = this.#clock.now();
    if (this.#table.due.isFull(execution, options, now)) return 'full';
    if (this.#table.startRules.skips(options)) return 'skipped';
    const root = this.#table.addRoot(execution, options, now);
    this.#watchers.notify(execution.id, 'commit');
    const { claim, concurrency } = options;
    if (claim === undefined || concurrency !== undefined || root.claimableAt > now) return 'created';
    const lease = this.#table.due.leases.extend(claim.runner, claim.leaseMs, now);
    return this.#claims.claim(root, lease, claim.leaseMs, root.record.definition) ?? 'created';
  }

  async find(owner: Owner, id: string): Promise<Execution | undefined> {
    const stored = this.#table.find(owner, id);
    return stored && toExecution(stored);
  }

  async list(owner: Owner, filter: ExecutionFilter): Promise<ExecutionPage> {
    return this.#table.list(owner, filter);
  }

  async journal(owner: Owner, id: string): Promise<readonly JournalEntry[]> {
    return [...(this.#table.findRoot(owner, id)?.journal ?? [])];
  }

  async events(owner: Owner, id: string, range: EventRange): Promise<readonly ExecutionEvent[]> {
    const stored = this.#table.find(owner, id);
    return stored === undefined ? [] : listEvents(stored, range);
  }

  async histories(
    owner: Owner,
    ids: readonly string[],
    limit: number,
    maxBytes: number = Infinity,
  ): Promise<ReadonlyMap<string, readonly ExecutionEvent[]>> {
    const stored = ids.flatMap((id) => this.#table.find(owner, id) ?? []);
    return listHistories(stored, limit, maxBytes);
  }

  async claim(
    id: string,
    { runner, leaseMs }: Lease,
    { definitions }: ClaimOptions = {},
  ): Promise<ClaimedExecution | undefined> {
    const now = this.#clock.now();
    const runnerLease = this.#table.due.leases.extend(runner, leaseMs, now);
    const root = this.#table.getRoot(id);
    if (root === undefined || !this.#table.due.isClaimable(root, now)) return undefined;
    const { definition } = root.record;
    if (definitions !== undefined && !Object.hasOwn(definitions, definition)) return undefined;
    return this.#claims.claim(root, runnerLease, leaseMs, definitions?.[definition] ?? definition);
  }

  async claimNext(lease: Lease, options: ClaimNextOptions): Promise<NextExecutions> {
    return this.#claims.claimNext(lease, options);
  }

  async quarantine(id: string, quarantine: Quarantine): Promise<boolean> {
    const root = this.#table.getRoot(id);
    const now = this.#clock.now();
    if (
      root === undefined ||
      !this.#table.due.isClaimable(root, root.lease === undefined ? Number.MAX_VALUE : now) ||
      !isExhausted(root, quarantine.minClaims)
    )
      return false;
    this.#announcing(root, () => quarantineRoot(root, quarantine, now));
    this.#table.due.release(root, Infinity);
    this.#watchers.notify(id, 'commit');
    this.#placeFreed(root);
    return true;
  }

  async renew(held: HeldExecutions, { leaseMs, runner }: Lease): Promise<readonly string[]> {
    const now = this.#clock.now();
    const leaseTime = monotonicTime(this.#clock);
    const { roots } = this.#table.due.leases.extend(runner, leaseMs, now);
    const lost = held.filter(({ epoch, executionId }) => {
      const root = this.#table.getRoot(executionId);
      return root === undefined || !roots.has(root) || root.record.epoch !== epoch;
    });
    const known = new Set(held.filter((one) => !lost.includes(one)).map(({ executionId }) => executionId));
    for (const root of roots)
      if (!known.has(root.record.id) && root.claimEndsAt <= leaseTime) this.#table.due.release(root, now);
    return lost.map(({ executionId }) => executionId);
  }

  async commit(commit: Commit): Promise<CommitOutcome> {
    const root = this.#table.getRoot(commit.executionId);
    if (root?.record.creationId !== commit.creationId) return { status: 'fenced' };
    if (root.lastCommitId === commit.commitId) return toOutcome(this.#table, root, commit);
    if (!isLeased(root, commit.epoch) || root.record.seq !== commit.expectedSeq) return { status: 'fenced' };
    const { release } = commit;
    if (release !== undefined && release.expectedSignals !== root.record.signals) return { status: 'signalled' };

    const now = this.#clock.now();
    const outcome = this.#announcing(root, () => {
      commitChanges(this.#table, root, commit, now);
      const committed = toOutcome(this.#table, root, commit);
      if (isFinal(root.record)) this.#finish(root);
      else if (release !== undefined) {
        this.#table.released(root);
        this.#table.due.release(root, release.dueAt === null ? Infinity : Math.max(release.dueAt, now));
      }
      this.#table.eventWaits.update(root);
      for (const suspension of commit.suspensions) this.#receiveStored(root, suspension);
      return committed;
    });
    this.#watchers.notify(commit.executionId, 'commit');
    for (const { id } of commit.changes) if (id !== commit.executionId) this.#watchers.notify(id, 'commit');
    return outcome;
  }

  async resume(owner: Owner, resume: ResumeRequest): Promise<'resumed' | 'not-suspended'> {
    const root = this.#table.findRoot(owner, resume.executionId);
    const answered = root && this.#announcing(root, () => resumeRoot(root, resume));
    if (root === undefined || answered === undefined) return 'not-suspended';
    if (answered === 'repeated') return 'resumed';
    this.#table.eventWaits.update(root);
    this.#signal(root);
    if (answered.executionId !== root.record.id) this.#watchers.notify(answered.executionId, 'signal');
    return 'resumed';
  }

  async publish(owner: Owner, given: NewPublishedEvent): Promise<Publication> {
    const { event, isRepeated } = this.#publishedEvents.add(owner, given, this.#clock.now());
    const deliveries = isRepeated ? [] : this.#deliver(event);
    return { eventId: event.id, deliveries };
  }

  /** Nothing is pending: a call is not interrupted. */
  async deliverPending(): Promise<readonly EventDelivery[]> {
    return [];
  }

  async request(owner: Owner, id: string, request: ExecutionRequest): Promise<'requested' | 'idle' | 'not-found'> {
    const root = this.#table.findRoot(owner, id);
    if (root === undefined || isFinal(root.record)) return root === undefined ? 'not-found' : 'idle';
    if (root.record.request?.kind !== 'cancel') root.record.request = request;
    this.#signal(root);
    return 'requested';
  }

  async terminate(owner: Owner, id: string, events: Termination): ReturnType<ExecutionStore['terminate']> {
    const root = this.#table.findRoot(owner, id);
    if (root === undefined || isFinal(root.record)) return root === undefined ? 'not-found' : 'idle';
    const ended = this.#announcing(root, () => {
      const executionIds = terminateRoot(root, events, this.#clock.now());
      this.#finish(root);
      return executionIds;
    });
    for (const endedId of ended) this.#watchers.notify(endedId, 'signal');
    this.#placeFreed(root);
    return 'terminated';
  }

  async rewind(owner: Owner, rewind: RewindRequest): Promise<'rewound' | 'outdated'> {
    const root = this.#table.findRoot(owner, rewind.executionId);
    if (root === undefined) return 'outdated';
    if (root.record.seq !== rewind.expectedSeq || root.record.signals !== rewind.expectedSignals) return 'outdated';
    const now = this.#clock.now();
    this.#table.removeFinished(root);
    this.#table.due.move(root, () => {
      this.#announcing(root, () => rewindRoot(root, rewind, now));
      root.lease = undefined;
      root.claimableAt = now;
    });
    this.#table.eventWaits.update(root);
    for (const { record } of listTree(root)) this.#watchers.notify(record.id, 'signal');
    this.#placeFreed(root);
    return 'rewound';
  }

  async supersede(id: string, reason: string): Promise<readonly Job[]> {
    const newer = this.#table.getRoot(id);
    if (newer === undefined) return [];
    return this.#table.startRules.superseded(newer).map((root) => {
      root.record.request = { kind: 'cancel', reason };
      this.#signal(root);
      return { executionId: root.record.id, workflowId: root.record.workflowId };
    });
  }

  async backlog(definitions: readonly string[], limit: number): Promise<Backlog> {
    return this.#table.due.backlog(this.#clock.now(), definitions, limit);
  }

  async dueElsewhere(...given: Parameters<ExecutionStore['dueElsewhere']>): ReturnType<ExecutionStore['dueElsewhere']> {
    return this.#table.due.elsewhere(this.#clock.now(), ...given);
  }

  async runners(): Promise<readonly Runner[]> {
    return this.#table.due.leases.list();
  }

  watch(id: string, listener: (change: 'commit' | 'signal') => void): () => void {
    return this.#watchers.add(id, listener);
  }

  announceDue(): void {
    this.#watchers.notify(anyDue, 'signal');
  }

  watchDue(listener: () => void): () => void {
    return this.#watchers.add(anyDue, listener);
  }

  async purge(olderThanMs: number, limit: number): Promise<number> {
    return this.#table.purge(this.#clock.now() - olderThanMs, limit);
  }

  async purgeEvents(olderThanMs: number, limit: number): Promise<number> {
    return this.#publishedEvents.purge(this.#clock.now() - olderThanMs, limit);
  }

  /**
   * The root executions of a user and their sub-workflows, oldest first. Those that are deleted
   * during the iteration are left out.
   */
  listOfUser(userId: string): Iterable<{ readonly execution: Execution; readonly events: readonly ExecutionEvent[] }> {
    return this.#table.listOfUser(userId);
  }

  /**
   * Deletes the root executions of a user and their sub-workflows, running ones too: their runner's
   * next commit is fenced. @returns how many roots.
   */
  deleteUser(userId: string): number {
    this.#publishedEvents.deleteUser(userId);
    const roots = this.#table.rootsOfUser(userId);
    for (const root of roots) {
      this.#table.delete(root);
      for (const { record } of listTree(root)) this.#watchers.notify(record.id, 'commit');
    }
    if (roots.some(({ record }) => record.concurrency !== null)) this.announceDue();
    return roots.length;
  }

  /** Resumes the executions that wait for an event. */
  #deliver(event: StoredEvent): readonly EventDelivery[] {
    return this.#table.eventWaits.waitingFor(event.channel).flatMap((root) => {
      const suspension = root.record.suspensions.find((one) => isWaitFor(one, event));
      if (suspension === undefined || !mayReceive(root, event)) return [];
      this.#receive(root, suspension, event);
      return [{ executionId: root.record.id, workflowId: root.record.workflowId }];
    });
  }

  /** Resumes a new suspension with an event that was published before it began. */
  #receiveStored(root: StoredRoot, suspension: Suspension): void {
    if (!root.record.suspensions.includes(suspension)) return;
    const event = this.#publishedEvents.nextFor(root, suspension);
    if (event !== undefined) this.#receive(root, suspension, event);
  }

  #receive(root: StoredRoot, suspension: Suspension, event: StoredEvent): void {
    receiveEvent(root, suspension, event);
    this.#table.eventWaits.update(root);
    this.#signal(root);
    if (suspension.executionId !== root.record.id) this.#watchers.notify(suspension.executionId, 'signal');
  }

  /**
   * Records that resume data or a request came in: the runner reads it, and without a runner the
   * execution is due at once.
   */
  #signal(root: StoredRoot): void {
    const now = this.#clock.now();
    root.record.signals += 1;
    root.record.updatedAt = now;
    if (root.lease === undefined)
      this.#table.due.move(root, () => {
        root.claimableAt = now;
      });
    this.#watchers.notify(root.record.id, 'signal');
  }

  #announcing<Result>({ record }: StoredRoot, change: () => Result): Result {
    return announcing(this.#webhooks, record, change);
  }

  /** No runner has freed the place: others that waited for it may be due. */
  #placeFreed({ record }: StoredRoot): void {
    if (record.concurrency !== null) this.announceDue();
  }

  #finish(root: StoredRoot): void {
    Object.assign(root.record, { suspensions: none, resumptions: none, timers: none, request: null });
    this.#table.eventWaits.remove(root);
    this.#table.due.release(root, Infinity);
    this.#table.addFinished(root);
  }
}
