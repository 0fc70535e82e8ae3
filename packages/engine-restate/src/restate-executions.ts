import { randomUUID } from 'node:crypto';
import type {
  ClaimedExecution,
  ClaimOptions,
  Commit,
  CommitOutcome,
  CreateOptions,
  CreateOutcome,
  EngineExecutions,
  EventDelivery,
  EventRange,
  Execution,
  ExecutionEvent,
  ExecutionFilter,
  ExecutionHost,
  ExecutionMirror,
  ExecutionPage,
  ExecutionRequest,
  Job,
  JournalEntry,
  Lease,
  NewExecution,
  NewPublishedEvent,
  Owner,
  Publication,
  Quarantine,
  ResumeRequest,
  RewindRequest,
  Termination,
} from '@halyard/contracts';
import { toChannel, pageOf } from '@halyard/memory-in-memory/executions';
import type { Deliveries } from './deliveries.ts';
import type { IngressClient } from './ingress-client.ts';
import type { Watches } from './watches.ts';

/** JSON has no Infinity. */
const noLimit = Number.MAX_SAFE_INTEGER;
/** No execution has this id. */
const elsewhere = '~elsewhere';
/** Much longer than a start takes that has begun before. */
const reservedMs = 600_000;

export interface RestateExecutionsOptions {
  readonly client: IngressClient;
  readonly watches: Watches;
  readonly deliveries: Deliveries;
  readonly mirror: ExecutionMirror;
  readonly eventsKeptMs: number;
  readonly now: () => number;
  readonly disconnect: () => Promise<void>;
}

/** The ports of executions on the objects of a Restate cluster. */
export class RestateExecutions implements EngineExecutions {
  readonly #options: RestateExecutionsOptions;
  readonly #client: IngressClient;

  constructor(options: RestateExecutionsOptions) {
    this.#options = options;
    this.#client = options.client;
  }

  start(host: ExecutionHost): void {
    this.#options.deliveries.start(host);
  }

  disconnect(): Promise<void> {
    return this.#options.disconnect();
  }

  /**
   * Never claims: Restate decides which process runs it. Never `full`: nothing is counted. Later
   * changes may reach the lists late, but the deletion of a user's data finds what has started.
   */
  async create(execution: NewExecution, { claim: _, ...options }: CreateOptions): Promise<CreateOutcome> {
    const { outcome, row } = await this.#client.call('execution', execution.id, 'create', { execution, options });
    if (row !== null) await this.#options.mirror.write(row.root, row.revision);
    this.#options.watches.notify(execution.id, 'commit');
    return outcome;
  }

  async find(owner: Owner, id: string): Promise<Execution | undefined> {
    const found = await this.#client.call('execution', id, 'find', { owner, id });
    if (found === null || 'execution' in found) return found?.execution;
    const child = await this.#client.call('execution', found.rootId, 'find', { owner, id });
    return child !== null && 'execution' in child ? child.execution : undefined;
  }

  /** Whether this process runs what Restate has delivered. */
  isDelivered(id: string): boolean {
    return this.#options.deliveries.has(id);
  }

  /**
   * Keeps an id for an execution in another store until it can be found there. @returns whether
   * neither an execution nor a sub-workflow has it.
   */
  reserve(id: string): Promise<boolean> {
    return this.#client.call('execution', id, 'reserve', { rootId: elsewhere, forMs: reservedMs });
  }

  claim(id: string, lease: Lease, options?: ClaimOptions): Promise<ClaimedExecution | undefined> {
    return this.#options.deliveries.claim(id, lease, options);
  }

  async commit(commit: Commit): Promise<CommitOutcome> {
    const outcome = await this.#client.call('execution', commit.executionId, 'commit', commit);
    if (outcome.status === 'committed')
      for (const id of new Set([commit.executionId, ...commit.changes.map((change) => change.id)]))
        this.#options.watches.notify(id, 'commit');
    return outcome;
  }

  async resume(owner: Owner, resume: ResumeRequest): Promise<'resumed' | 'not-suspended'> {
    return this.#signalled(
      resume.executionId,
      this.#client.call('execution', resume.executionId, 'resume', { owner, resume }),
    );
  }

  async request(owner: Owner, id: string, request: ExecutionRequest): Promise<'requested' | 'idle' | 'not-found'> {
    return this.#signalled(id, this.#client.call('execution', id, 'request', { owner, request }));
  }

  async rewind(owner: Owner, rewind: RewindRequest): Promise<'rewound' | 'outdated'> {
    const call = this.#client.call('execution', rewind.executionId, 'rewind', { owner, rewind }, randomUUID());
    return this.#signalled(rewind.executionId, call);
  }

  async quarantine(id: string, quarantine: Quarantine): Promise<boolean> {
    return this.#signalled(id, this.#client.call('execution', id, 'quarantine', quarantine, randomUUID()));
  }

  async terminate(owner: Owner, id: string, termination: Termination): Promise<'terminated' | 'idle' | 'not-found'> {
    const call = this.#client.call('execution', id, 'terminate', { owner, termination }, randomUUID());
    return this.#signalled(id, call);
  }

  async supersede(id: string, reason: string): Promise<readonly Job[]> {
    return this.#client.call('execution', id, 'supersede', { reason }, randomUUID());
  }

  async journal(owner: Owner, id: string): Promise<readonly JournalEntry[]> {
    return this.#client.call('execution', id, 'journal', { owner });
  }

  async events(
    owner: Owner,
    id: string,
    { after, creationId, limit, maxBytes }: EventRange,
  ): Promise<readonly ExecutionEvent[]> {
    const input = {
      owner,
      id,
      after: Math.min(after, noLimit),
      limit: Math.min(limit, noLimit),
      maxBytes: maxBytes === undefined || maxBytes === Infinity ? null : maxBytes,
      creationId: creationId ?? null,
    };
    const cut = await this.#client.call('execution', id, 'events', input);
    if ('events' in cut) return cut.events;
    const ofRoot = await this.#client.call('execution', cut.rootId, 'events', input);
    return 'events' in ofRoot ? ofRoot.events : [];
  }

  watch(id: string, listener: (change: 'commit' | 'signal') => void): () => void {
    return this.#options.watches.add(id, listener);
  }

  /** Sub-workflows are read from their root; lists of roots may lag. */
  async list(owner: Owner, filter: ExecutionFilter): Promise<ExecutionPage> {
    const { parentExecutionId } = filter;
    if (parentExecutionId === null) return this.#options.mirror.list(owner, filter);
    const parent = await this.find('anyone', parentExecutionId);
    if (parent === undefined) return { executions: [], total: 0, hasMore: false };
    const children = await this.#client.call('execution', parent.rootExecutionId, 'children', { owner });
    return pageOf(
      children.filter((child) => child.parentExecutionId === parentExecutionId),
      owner,
      filter,
    );
  }

  async histories(
    owner: Owner,
    ids: readonly string[],
    limit: number,
    maxBytes: number = Infinity,
  ): Promise<ReadonlyMap<string, readonly ExecutionEvent[]>> {
    const histories = new Map<string, readonly ExecutionEvent[]>();
    let leftBytes = maxBytes;
    for (const id of ids) {
      if ((await this.find(owner, id)) === undefined) continue;
      const events = await this.events(owner, id, { after: 0, limit });
      const within = events.filter((event) => {
        leftBytes -= JSON.stringify(event.event).length;
        return leftBytes >= 0;
      });
      histories.set(id, within);
    }
    return histories;
  }

  async purge(olderThanMs: number, limit: number): Promise<number> {
    const { mirror, now } = this.#options;
    const ids = await mirror.endedBy(olderThanMs === -Infinity ? noLimit : now() - olderThanMs, limit);
    await this.remove(ids);
    return ids.length;
  }

  /** Deletes roots, whether they have ended or not, with their sub-workflows. */
  async remove(rootIds: readonly string[]): Promise<void> {
    for (const id of rootIds) {
      await this.#client.call('execution', id, 'remove', undefined);
      // The signal ends a run in this process.
      this.#options.watches.notify(id, 'signal');
    }
    await this.#options.mirror.remove(rootIds);
  }

  async publish(owner: Owner, { id, payload, requestId, ...awaited }: NewPublishedEvent): Promise<Publication> {
    const input = { owner, id, payload, requestId, keptMs: this.#options.eventsKeptMs };
    const publication = await this.#client.call('channel', toChannel(awaited), 'publish', input);
    for (const { executionId } of publication.deliveries) this.#options.watches.notify(executionId, 'signal');
    return publication;
  }

  /** Nothing is pending: Restate continues what a publisher has left. */
  async deliverPending(): Promise<readonly EventDelivery[]> {
    return [];
  }

  /** Events end by themselves. */
  async purgeEvents(): Promise<number> {
    return 0;
  }

  async #signalled<Outcome>(id: string, call: Promise<Outcome>): Promise<Outcome> {
    const outcome = await call;
    this.#options.watches.notify(id, 'signal');
    return outcome;
  }
}
