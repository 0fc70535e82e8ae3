import {
  type ClaimedExecution,
  type ClaimOptions,
  type Commit,
  type CommitOutcome,
  type CreateOptions,
  type CreateOutcome,
  defaultMaxTotal,
  type EngineExecutions,
  type EventDelivery,
  type EventRange,
  type Execution,
  type ExecutionEvent,
  type ExecutionFilter,
  type ExecutionHost,
  type ExecutionPage,
  type ExecutionRequest,
  type Executions,
  type ExecutionStore,
  type Job,
  type JournalEntry,
  type Lease,
  type NewExecution,
  type NewPublishedEvent,
  type Owner,
  type Publication,
  type Quarantine,
  type ResumeRequest,
  type RewindRequest,
  type Termination,
} from '@halyard/contracts';
import type { RestateExecutions } from './restate-executions.ts';

/**
 * The executions of a storage, which end there, and those of Restate. An id is in one of them, and
 * each call asks the storage first which one it is.
 */
export class MovingExecutions implements EngineExecutions {
  readonly stored: ExecutionStore;
  readonly #restate: RestateExecutions;
  /** Where executions start. */
  readonly #mode: 'start' | 'finish';

  constructor(stored: ExecutionStore, restate: RestateExecutions, mode: 'start' | 'finish') {
    this.stored = stored;
    this.#restate = restate;
    this.#mode = mode;
  }

  start(host: ExecutionHost): void {
    this.#restate.start(host);
  }

  disconnect(): Promise<void> {
    return this.#restate.disconnect();
  }

  /**
   * Replicas may start the same id in both at the same time, such as that of a schedule. So it is
   * reserved on Restate before it starts in the storage, until those that start it on Restate find
   * it there.
   */
  async create(execution: NewExecution, options: CreateOptions): Promise<CreateOutcome | ClaimedExecution> {
    const { id } = execution;
    if (this.#mode === 'start')
      return (await this.#restate.reserve(id)) ? this.stored.create(execution, options) : 'taken';
    const existing = await this.stored.find('anyone', id);
    if (existing === undefined) return this.#restate.create(execution, options);
    return existing.creationId === options.requestId ? 'created' : 'taken';
  }

  async find(owner: Owner, id: string): Promise<Execution | undefined> {
    return (await this.stored.find(owner, id)) ?? this.#restate.find(owner, id);
  }

  async claim(id: string, lease: Lease, options?: ClaimOptions): Promise<ClaimedExecution | undefined> {
    return (this.#restate.isDelivered(id) ? this.#restate : this.stored).claim(id, lease, options);
  }

  /** Of a run that Restate has given up, the storage knows nothing: it is fenced. */
  commit(commit: Commit): Promise<CommitOutcome> {
    return (this.#restate.isDelivered(commit.executionId) ? this.#restate : this.stored).commit(commit);
  }

  async resume(owner: Owner, resume: ResumeRequest): Promise<'resumed' | 'not-suspended'> {
    return (await this.#of(resume.executionId)).resume(owner, resume);
  }

  async request(owner: Owner, id: string, request: ExecutionRequest): Promise<'requested' | 'idle' | 'not-found'> {
    return (await this.#of(id)).request(owner, id, request);
  }

  async rewind(owner: Owner, rewind: RewindRequest): Promise<'rewound' | 'outdated'> {
    return (await this.#of(rewind.executionId)).rewind(owner, rewind);
  }

  async quarantine(id: string, quarantine: Quarantine): Promise<boolean> {
    return (await this.#of(id)).quarantine(id, quarantine);
  }

  async terminate(owner: Owner, id: string, termination: Termination): Promise<'terminated' | 'idle' | 'not-found'> {
    return (await this.#of(id)).terminate(owner, id, termination);
  }

  async supersede(id: string, reason: string): Promise<readonly Job[]> {
    return (await this.#of(id)).supersede(id, reason);
  }

  async journal(owner: Owner, id: string): Promise<readonly JournalEntry[]> {
    return (await this.#of(id)).journal(owner, id);
  }

  async events(owner: Owner, id: string, range: EventRange): Promise<readonly ExecutionEvent[]> {
    return (await this.#of(id)).events(owner, id, range);
  }

  /** Both from the beginning, so that nothing is missed while the storage is asked. */
  watch(id: string, listener: (change: 'commit' | 'signal') => void): () => void {
    const unwatchStored = this.stored.watch(id, listener);
    const unwatchRestate = this.#restate.watch(id, listener);
    if (!this.#restate.isDelivered(id))
      // Without an answer, both are watched.
      void this.#of(id).then(
        (own) => own === this.stored && unwatchRestate(),
        () => {},
      );
    return () => {
      unwatchStored();
      unwatchRestate();
    };
  }

  /** Those on Restate come first: they started later. */
  async list(owner: Owner, filter: ExecutionFilter): Promise<ExecutionPage> {
    const { after, limit, maxBytes = Infinity, maxTotal = defaultMaxTotal, offset, parentExecutionId } = filter;
    if (parentExecutionId !== null) return (await this.#of(parentExecutionId)).list(owner, filter);
    if (after !== undefined && (await this.#of(after)) === this.stored) return this.stored.list(owner, filter);
    const first = await this.#restate.list(owner, { ...filter, maxTotal: Math.max(maxTotal, offset + limit) });
    if (after !== undefined && !isOfList(await this.#restate.find(owner, after), filter)) return first;
    const leftBytes = maxBytes - bytesOf(first.executions);
    const isFull = first.hasMore || (first.executions.length > 0 && leftBytes <= 0);
    const second = await this.stored.list(owner, {
      ...filter,
      after: undefined,
      limit: isFull ? 0 : limit - first.executions.length,
      offset: Math.max(0, offset - first.total),
      maxBytes: leftBytes === Infinity ? undefined : Math.max(0, leftBytes),
    });
    return {
      executions: [...first.executions, ...second.executions],
      total: Math.min(first.total + second.total, maxTotal),
      hasMore: first.hasMore || second.hasMore,
    };
  }

  async histories(
    owner: Owner,
    ids: readonly string[],
    limit: number,
    maxBytes: number = Infinity,
  ): Promise<ReadonlyMap<string, readonly ExecutionEvent[]>> {
    const stored = await this.stored.histories(owner, ids, limit, maxBytes);
    const others = ids.filter((id) => !stored.has(id));
    const leftBytes = maxBytes - bytesOf([...stored.values()]);
    return new Map([...stored, ...(await this.#restate.histories(owner, others, limit, leftBytes))]);
  }

  async purge(olderThanMs: number, limit: number): Promise<number> {
    const purged = await this.stored.purge(olderThanMs, limit);
    return purged + (purged < limit ? await this.#restate.purge(olderThanMs, limit - purged) : 0);
  }

  /** A repeated call has the id of the first one, also if that did not reach Restate. */
  async publish(owner: Owner, event: NewPublishedEvent): Promise<Publication> {
    const { deliveries, eventId } = await this.stored.publish(owner, event);
    const others = await this.#restate.publish(owner, { ...event, id: eventId });
    return { eventId, deliveries: [...deliveries, ...others.deliveries] };
  }

  deliverPending(limit: number): Promise<readonly EventDelivery[]> {
    return this.stored.deliverPending(limit);
  }

  purgeEvents(olderThanMs: number, limit: number): Promise<number> {
    return this.stored.purgeEvents(olderThanMs, limit);
  }

  async #of(id: string): Promise<Executions> {
    return (await this.stored.find('anyone', id)) === undefined ? this.#restate : this.stored;
  }
}

/** Whether an execution is in the list that the filter selects from. */
function isOfList(execution: Execution | undefined, { userId, workflowId }: ExecutionFilter): boolean {
  if (execution === undefined) return false;
  if (workflowId !== undefined && workflowId !== execution.workflowId) return false;
  return userId === undefined || userId === execution.userId;
}

function bytesOf(values: readonly object[]): number {
  return values.reduce((bytes, value) => bytes + JSON.stringify(value).length, 0);
}
