import {
  type ClaimedExecution,
  type ClaimOptions,
  type Commit,
  type CommitOutcome,
  type CreateOptions,
  type CreateOutcome,
  type DueExecution,
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
  type OverdueExecution,
  type Owner,
  type Publication,
  type Quarantine,
  type ResumeRequest,
  type RewindRequest,
  type Runner,
  takeInTurns,
  UnavailableError,
} from '@halyard/contracts';
import { ExecutionPlaces } from './execution-places.ts';
import { listRoots } from './list-roots.ts';
import { placeOf } from './place-of.ts';
import type { Shard } from './shard.ts';

type HeldExecutions = Parameters<ExecutionStore['renew']>[0];

/**
 * The executions of several stores. Calls for one execution go to its shard. Calls for all executions go to all shards: one that does not answer is left out
 * where the others can continue without it, and otherwise the call fails.
 */
export class ShardedExecutionStore implements ExecutionStore {
  readonly #shards: readonly [Shard, ...Shard[]];
  readonly #places: ExecutionPlaces;
  #purgedFirst = 0;

  constructor(shards: readonly [Shard, ...Shard[]]) {
    this.#shards = shards;
    this.#places = new ExecutionPlaces(shards);
  }

  async create(execution: NewExecution, options: CreateOptions): Promise<CreateOutcome> {
    const { id } = execution;
    const place = placeOf(id, options);
    const home = this.#places.homeOf(place);
    // No other execution has a generated id, so it may be used on any shard.
    const isUnique = options.requestId === id;
    const shard = isUnique && place.kind === 'id' ? this.#answering(home) : home;
    const taken = isUnique ? undefined : (await this.#places.elsewhere([id], shard)).get(id);
    if (taken !== undefined) return taken.call((store) => store.create(execution, options));
    const outcome = await shard.call((store) => store.create(execution, options));
    if (outcome !== 'skipped') this.#places.remember(id, shard);
    return outcome;
  }

  async find(owner: Owner, id: string): Promise<Execution | undefined> {
    const isRemembered = this.#places.remembered(id) !== undefined;
    const execution = await this.#at(id, (store) => store.find(owner, id), undefined);
    if (execution !== undefined || !isRemembered) return execution;
    // It may have been deleted, and its id used again on another shard.
    this.#places.forget(id);
    return this.#at(id, (store) => store.find(owner, id), undefined);
  }

  async list(owner: Owner, filter: ExecutionFilter): Promise<ExecutionPage> {
    const { parentExecutionId } = filter;
    const nothing = { executions: [], total: 0, hasMore: false };
    if (parentExecutionId !== null) return this.#at(parentExecutionId, (store) => store.list(owner, filter), nothing);
    if (filter.maxBytes !== undefined && filter.offset > 0) return this.#listFrom(owner, filter);
    const { after } = filter;
    const last = after === undefined ? undefined : await this.find(owner, after);
    const place = last && (await this.#places.find(last.id));
    return listRoots(this.#shards, owner, filter, last && place && { execution: last, shard: place });
  }

  /** Reads the executions before the offset page by page: together they may be larger than the process. */
  async #listFrom(owner: Owner, { offset, ...filter }: ExecutionFilter): Promise<ExecutionPage> {
    const first = await this.list(owner, { ...filter, limit: offset, offset: 0 });
    let page = first;
    let after = page.executions.at(-1)?.id;
    let left = offset - page.executions.length;
    while (left > 0 && page.hasMore && after !== undefined) {
      page = await this.list(owner, { ...filter, after, limit: left, offset: 0, maxTotal: 0 });
      after = page.executions.at(-1)?.id;
      left -= page.executions.length;
    }
    if (left > 0 || after === undefined) return { executions: [], total: first.total, hasMore: false };
    const rest = await this.list(owner, { ...filter, after, offset: 0, maxTotal: 0 });
    return { ...rest, total: first.total };
  }

  async journal(owner: Owner, id: string): Promise<readonly JournalEntry[]> {
    return this.#at(id, (store) => store.journal(owner, id), []);
  }

  async events(owner: Owner, id: string, range: EventRange): Promise<readonly ExecutionEvent[]> {
    return this.#at(id, (store) => store.events(owner, id, range), []);
  }

  async histories(
    owner: Owner,
    ids: readonly string[],
    limit: number,
    maxBytes?: number,
  ): Promise<ReadonlyMap<string, readonly ExecutionEvent[]>> {
    const places = await this.#places.findAll(ids);
    const share = maxBytes === undefined ? undefined : Math.floor(maxBytes / this.#shards.length);
    const asked = [...Map.groupBy(places.keys(), (id) => places.get(id))].map(async ([shard, some]) => [
      ...((await shard?.call((store) => store.histories(owner, some, limit, share))) ?? []),
    ]);
    return new Map((await Promise.all(asked)).flat());
  }

  async claim(id: string, lease: Lease, options?: ClaimOptions): Promise<ClaimedExecution | undefined> {
    const shard = await this.#places.find(id);
    return shard?.claim(id, lease, options);
  }

  async quarantine(id: string, quarantine: Quarantine): Promise<boolean> {
    const shard = await this.#places.find(id);
    // The processes look at one suspect after the other.
    return (await shard?.ask((store) => store.quarantine(id, quarantine))) ?? false;
  }

  async renew(held: HeldExecutions, lease: Lease): Promise<readonly string[]> {
    const places = await this.#places.findAll(held.map(({ executionId }) => executionId));
    const byShard = Map.groupBy(held, ({ executionId }) => places.get(executionId));
    const unknown = byShard.get(undefined) ?? [];
    // Also where it runs nothing: it has a share of what is due there.
    const renewals = this.#shards.map((shard) => shard.renew(byShard.get(shard) ?? [], lease));
    return [...unknown.map(({ executionId }) => executionId), ...(await Promise.all(renewals)).flat()];
  }

  async commit(commit: Commit): Promise<CommitOutcome> {
    const shard = await this.#places.find(commit.executionId);
    if (shard === undefined) return { status: 'fenced' };
    const created = commit.changes.flatMap((change) => (change.created === undefined ? [] : change.id));
    const taken = await this.#places.elsewhere(created, shard);
    const outcome = await shard.commit(taken.size === 0 ? commit : withoutCreated(commit));
    if (outcome.status === 'committed') for (const id of created) this.#places.remember(id, shard);
    return outcome;
  }

  async resume(owner: Owner, resume: ResumeRequest): Promise<'resumed' | 'not-suspended'> {
    return this.#at(resume.executionId, (store) => store.resume(owner, resume), 'not-suspended');
  }

  async publish(owner: Owner, event: NewPublishedEvent): Promise<Publication> {
    const asked = this.#shards.map((shard) => shard.ask((store) => store.publish(owner, event)));
    const outcomes = await Promise.allSettled(asked);
    const stored = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []));
    const failure = outcomes.find((outcome) => outcome.status === 'rejected');
    const [first] = stored;
    if (first === undefined || failure !== undefined) {
      const reached = `The event has reached ${stored.length} of ${this.#shards.length} shards`;
      const message = `${reached}. Publish it again with the same requestId`;
      throw new UnavailableError('STORAGE_UNAVAILABLE', message, { cause: failure?.reason });
    }
    return { eventId: first.eventId, deliveries: stored.flatMap(({ deliveries }) => deliveries) };
  }

  async deliverPending(limit: number): Promise<readonly EventDelivery[]> {
    return this.#fromAnswering((store) => store.deliverPending(limit));
  }

  async request(owner: Owner, id: string, request: ExecutionRequest): Promise<'requested' | 'idle' | 'not-found'> {
    return this.#at(id, (store) => store.request(owner, id, request), 'not-found');
  }

  async rewind(owner: Owner, rewind: RewindRequest): Promise<'rewound' | 'outdated'> {
    return this.#at(rewind.executionId, (store) => store.rewind(owner, rewind), 'outdated');
  }

  async supersede(id: string, reason: string): Promise<readonly Job[]> {
    return this.#at(id, (store) => store.supersede(id, reason), []);
  }

  async admit(keys: readonly string[]): Promise<readonly DueExecution[]> {
    const byShard = Map.groupBy(keys, (key) => this.#shardOfKey(key));
    return this.#fromAnswering(async (store, shard) => {
      const own = byShard.get(shard) ?? [];
      return own.length === 0 ? [] : store.admit(own);
    });
  }

  /** In the order of the shards. */
  async waitingKeys(after: string, limit: number): Promise<readonly string[]> {
    const first = after === '' ? 0 : this.#shards.indexOf(this.#shardOfKey(after));
    const keys: string[] = [];
    for (const [index, shard] of this.#shards.entries()) {
      const remaining = limit - keys.length;
      if (index < first || remaining === 0) continue;
      const asked = shard.ask((store) => store.waitingKeys(index === first ? after : '', remaining));
      keys.push(...(await asked.catch(() => [])));
    }
    return keys;
  }

  async due(definitions: readonly string[], limit: number, runner?: string): Promise<readonly OverdueExecution[]> {
    const due = await this.#fromAnswering((store) => store.due(definitions, limit, runner));
    const inOrder = due.toSorted((one, other) => other.priority - one.priority || one.dueAt - other.dueAt);
    return takeInTurns(inOrder, limit, ({ userId }) => userId);
  }

  /** A runner has a lease on each shard. */
  async runners(): Promise<readonly Runner[]> {
    const leases = await this.#fromAnswering(async (store) => (await store.runners?.()) ?? []);
    return [...Map.groupBy(leases, ({ runner }) => runner)].map(([runner, own]) => ({
      runner,
      since: Math.min(...own.map(({ since }) => since)),
      leaseUntil: Math.max(...own.map(({ leaseUntil }) => leaseUntil)),
      executions: own.reduce((sum, { executions }) => sum + executions, 0),
    }));
  }

  async nextDue(definitions: readonly string[]): Promise<number | undefined> {
    const times = await this.#fromAnswering(async (store) => {
      const dueInMs = await store.nextDue(definitions);
      return dueInMs === undefined ? [] : [dueInMs];
    });
    return times.length === 0 ? undefined : Math.min(...times);
  }

  async dueElsewhere(
    workflowIds: readonly string[],
    definitions: readonly string[],
    limit: number,
  ): ReturnType<ExecutionStore['dueElsewhere']> {
    const due = await this.#fromAnswering((store) => store.dueElsewhere(workflowIds, definitions, limit));
    return due.toSorted((one, other) => one.dueAt - other.dueAt).slice(0, limit);
  }

  /** While it is unknown where the execution is, all shards are watched. */
  watch(id: string, listener: (change: 'commit' | 'signal') => void): () => void {
    const place = this.#places.remembered(id);
    const watched = place === undefined ? this.#shards : [place];
    const stops = watched.map(({ storage }) => storage.executions.watch(id, listener));
    return () => {
      for (const stop of stops) stop();
    };
  }

  async purge(olderThanMs: number, limit: number): Promise<number> {
    const count = this.#shards.length;
    this.#purgedFirst = (this.#purgedFirst + 1) % count;
    const inTurn = [...this.#shards.slice(this.#purgedFirst), ...this.#shards.slice(0, this.#purgedFirst)];
    let [purged, failed] = [0, 0];
    for (const shard of inTurn) {
      try {
        purged += await shard.ask((store) => store.purge(olderThanMs, limit - purged));
      } catch (error) {
        failed += 1;
        if (failed === count) throw error;
      }
    }
    return purged;
  }

  /** @returns how many on the shard with most of them: each shard stores each event. */
  async purgeEvents(olderThanMs: number, limit: number): Promise<number> {
    const purged = await this.#fromAnswering(async (store) => [await store.purgeEvents(olderThanMs, limit)]);
    return Math.max(...purged);
  }

  /** @param absent the answer when there is no such execution. */
  async #at<T>(id: string, call: (store: ExecutionStore) => Promise<T>, absent: T): Promise<T> {
    const shard = await this.#places.find(id);
    return shard === undefined ? absent : shard.call(call);
  }

  /** Another shard if this one does not answer, but the other does. */
  #answering(shard: Shard): Shard {
    return shard.isSilent ? (this.#shards.find(({ isSilent }) => !isSilent) ?? shard) : shard;
  }

  #shardOfKey(key: string): Shard {
    return this.#places.homeOf({ kind: 'key', text: key });
  }

  /** The answers of the shards that answer; remembers the executions that they name. Rejects like the first shard when none answers. */
  async #fromAnswering<T>(run: (store: ExecutionStore, shard: Shard) => Promise<readonly T[]>): Promise<readonly T[]> {
    const asked = this.#shards.map(async (shard) => {
      const answer = await shard.ask((store) => run(store, shard));
      for (const one of answer) if (isNamed(one)) this.#places.remember(one.executionId, shard);
      return answer;
    });
    const outcomes = await Promise.allSettled(asked);
    if (outcomes.every(({ status }) => status === 'rejected')) await Promise.all(asked);
    return outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []));
  }
}

/** A commit with changes of what its tree does not have: the store rejects it, unless it is fenced. */
function withoutCreated(commit: Commit): Commit {
  return { ...commit, changes: commit.changes.map(({ created: _created, ...change }) => change) };
}

function isNamed(answer: unknown): answer is Pick<Job, 'executionId'> {
  return typeof answer === 'object' && answer !== null && 'executionId' in answer;
}
