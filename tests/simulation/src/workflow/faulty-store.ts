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
  type Execution,
  type ExecutionEvent,
  type ExecutionFilter,
  type ExecutionRequest,
  type ExecutionStore,
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
  UnavailableError,
  type Termination,
} from '@halyard/contracts';
import type { Random } from '../../../../packages/core/src/workflow/testing/random.ts';
import type { Mutex } from './mutex.ts';
import type { Observed } from './observed.ts';
import type { Schedule } from './schedule.ts';
import { Violation } from './violation.ts';

/** The faults that one process sees. */
export interface Faults {
  /** Probability that a call fails, before or after the store has executed it. */
  failure: number;
  /** Probability that the schedule delays a call, or its answer. */
  delay: number;
  /** The call at which the process crashes. */
  readonly end: { readonly call: number; readonly isExecuted: boolean } | undefined;
}

export interface FaultyStoreOptions {
  readonly store: ExecutionStore;
  readonly process: string;
  readonly schedule: Schedule;
  readonly random: Random;
  readonly clock: Clock;
  readonly faults: Faults;
  readonly observed: (executionId: string) => Observed;
  /** The store has accepted a change that a caller asked for. */
  readonly onChanged?: ((executionId: string, change: AcceptedChange) => void) | undefined;
  /** Is told of the places that executions with a limit of concurrency get. */
  readonly places?: PlaceObserver | undefined;
  readonly onPublished?: ((event: NewPublishedEvent, publication: Publication) => void) | undefined;
  /** Makes a call and its observation one atomic action. */
  readonly mutex: Mutex;
  readonly onEnd: () => void;
  /** A process would treat a thrown violation as a failure of its store, and retry. */
  readonly onViolation: (violation: Violation) => void;
}

/** @throws Violation */
export interface PlaceObserver {
  /** Calls the store, which returns what it has claimed, in the same atomic action. */
  readonly onClaim: (claim: () => Promise<readonly ClaimedExecution[]>) => Promise<void>;
}

/** A change that the store has accepted. */
export type AcceptedChange =
  | { readonly kind: 'resumed'; readonly requestId: string }
  | { readonly kind: 'requested'; readonly reason: string }
  | { readonly kind: 'rewound'; readonly seq: number };

class StorageDownError extends UnavailableError {
  constructor(what: string) {
    super('STORAGE_UNAVAILABLE', what);
  }
}

/**
 * A store as one process sees it: calls are delayed, fail, lose their answer, or never return
 * because the process crashes.
 */
export class FaultyStore implements ExecutionStore {
  readonly #options: FaultyStoreOptions;
  #calls = 0;
  #watches = 0;
  #hasEnded = false;

  constructor(options: FaultyStoreOptions) {
    this.#options = options;
  }

  get calls(): number {
    return this.#calls;
  }

  get watches(): number {
    return this.#watches;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  create(execution: NewExecution, options: CreateOptions): Promise<CreateOutcome | ClaimedExecution> {
    return this.#call(`create ${execution.id}`, async (store) => {
      const outcome = await store.create(execution, options);
      const { clock, observed } = this.#options;
      if (outcome === 'created' || typeof outcome === 'object')
        observed(execution.id).states.set(execution.id, execution.workflowState);
      if (typeof outcome === 'object' && options.claim !== undefined)
        observed(execution.id).claimed(outcome, options.claim.runner, clock.now(), options.claim.leaseMs);
      return outcome;
    });
  }

  find(owner: Owner, id: string): Promise<Execution | undefined> {
    return this.#call('find', (store) => store.find(owner, id));
  }

  list(owner: Owner, filter: ExecutionFilter): ReturnType<ExecutionStore['list']> {
    return this.#call('list', (store) => store.list(owner, filter));
  }

  journal(owner: Owner, id: string): Promise<readonly JournalEntry[]> {
    return this.#call('journal', (store) => store.journal(owner, id));
  }

  events(owner: Owner, id: string, range: Parameters<ExecutionStore['events']>[2]): Promise<readonly ExecutionEvent[]> {
    return this.#call('events', (store) => store.events(owner, id, range));
  }

  histories(...given: Parameters<ExecutionStore['histories']>): ReturnType<ExecutionStore['histories']> {
    return this.#call('histories', (store) => store.histories(...given));
  }

  claim(id: string, lease: Lease, options?: ClaimOptions): Promise<ClaimedExecution | undefined> {
    return this.#call(`claim ${id}`, async (store) => {
      let claimed: ClaimedExecution | undefined;
      await this.#observeClaims(lease, async () => {
        claimed = await store.claim(id, lease, options);
        return claimed === undefined ? [] : [claimed];
      });
      return claimed;
    });
  }

  claimNext(lease: Lease, options: ClaimNextOptions): Promise<NextExecutions> {
    return this.#call('claimNext', async (store) => {
      let next: NextExecutions = { claimed: [], exhausted: [], hasLeftOut: false, nextDueInMs: undefined };
      await this.#observeClaims(lease, async () => {
        next = await store.claimNext(lease, options);
        return next.claimed;
      });
      return next;
    });
  }

  async #observeClaims({ leaseMs, runner }: Lease, claim: () => Promise<readonly ClaimedExecution[]>): Promise<void> {
    const { clock, observed, places } = this.#options;
    const observedClaim = async (): Promise<readonly ClaimedExecution[]> => {
      const claimed = await claim();
      for (const one of claimed) observed(one.execution.id).claimed(one, runner, clock.now(), leaseMs);
      return claimed;
    };
    await (places === undefined ? observedClaim() : places.onClaim(observedClaim));
  }

  quarantine(id: string, quarantine: Quarantine): Promise<boolean> {
    return this.#call(`quarantine ${id}`, (store) => store.quarantine(id, quarantine));
  }

  renew(held: Parameters<ExecutionStore['renew']>[0], lease: Lease): Promise<readonly string[]> {
    return this.#call('renew', async (store) => {
      const { clock, observed } = this.#options;
      const before = await rootsOf(store, lease.runner);
      const lost = await store.renew(held, lease);
      const after = new Set(await rootsOf(store, lease.runner));
      for (const id of before) if (!after.has(id)) observed(id).taken(id, clock.now());
      for (const { epoch, executionId } of held)
        if (!lost.includes(executionId)) observed(executionId).renewed(epoch, clock.now() + lease.leaseMs);
      return lost;
    });
  }

  commit(commit: Commit): Promise<CommitOutcome> {
    return this.#call(`commit ${commit.executionId} ${commit.commitId}`, async (store) => {
      const outcome = await store.commit(commit);
      await this.#options.observed(commit.executionId).committed(commit, outcome, store);
      return outcome;
    });
  }

  resume(owner: Owner, resume: ResumeRequest): Promise<'resumed' | 'not-suspended'> {
    const { executionId, requestId, suspensionId } = resume;
    return this.#call(`resume ${executionId} ${suspensionId}`, async (store) => {
      const outcome = await store.resume(owner, resume);
      if (outcome === 'resumed') {
        this.#options.observed(executionId).answered(suspensionId, requestId, resume.data);
        this.#options.onChanged?.(executionId, { kind: 'resumed', requestId });
      }
      return outcome;
    });
  }

  publish(owner: Owner, event: NewPublishedEvent): Promise<Publication> {
    return this.#call(`publish ${event.id}`, async (store) => {
      const publication = await store.publish(owner, event);
      this.#options.onPublished?.(event, publication);
      return publication;
    });
  }

  deliverPending(limit: number): Promise<readonly EventDelivery[]> {
    return this.#call('deliverPending', (store) => store.deliverPending(limit));
  }

  request(owner: Owner, id: string, request: ExecutionRequest): ReturnType<ExecutionStore['request']> {
    return this.#call(`request ${id} ${request.kind}`, async (store) => {
      const outcome = await store.request(owner, id, request);
      if (outcome === 'requested' && request.kind === 'cancel') this.#options.observed(id).isCancelling = true;
      if (outcome === 'requested') this.#options.onChanged?.(id, { kind: 'requested', reason: request.reason });
      return outcome;
    });
  }

  rewind(owner: Owner, rewind: RewindRequest): Promise<'rewound' | 'outdated'> {
    return this.#call(`rewind ${rewind.executionId}`, async (store) => {
      const outcome = await store.rewind(owner, rewind);
      if (outcome === 'rewound') {
        this.#options.observed(rewind.executionId).rewound(rewind);
        this.#options.onChanged?.(rewind.executionId, { kind: 'rewound', seq: rewind.expectedSeq });
      }
      return outcome;
    });
  }

  terminate(owner: Owner, id: string, termination: Termination): ReturnType<ExecutionStore['terminate']> {
    return this.#call(`terminate ${id}`, (store) => store.terminate(owner, id, termination));
  }

  supersede(id: string, reason: string): ReturnType<ExecutionStore['supersede']> {
    return this.#call(`supersede ${id}`, (store) => store.supersede(id, reason));
  }

  backlog(definitions: readonly string[], limit: number): Promise<Backlog> {
    return this.#call('backlog', (store) => store.backlog(definitions, limit));
  }

  dueElsewhere(
    workflowIds: readonly string[],
    definitions: readonly string[],
    limit: number,
  ): ReturnType<ExecutionStore['dueElsewhere']> {
    return this.#call('dueElsewhere', (store) => store.dueElsewhere(workflowIds, definitions, limit));
  }

  watch(id: string, listener: (change: 'commit' | 'signal') => void): () => void {
    let isWatching = true;
    this.#watches += 1;
    const stop = this.#options.store.watch(id, (change) => {
      void this.#delay(`receives a ${change} notification for ${id}`).then(() => {
        if (isWatching && !this.#hasEnded) listener(change);
      });
    });
    return () => {
      if (isWatching) this.#watches -= 1;
      isWatching = false;
      stop();
    };
  }

  announceDue(): void {
    if (!this.#hasEnded) this.#options.store.announceDue();
  }

  watchDue(listener: () => void): () => void {
    return this.#options.store.watchDue(() => {
      if (!this.#hasEnded) listener();
    });
  }

  purge(olderThanMs: number, limit: number): Promise<number> {
    return this.#call('purge', (store) => store.purge(olderThanMs, limit));
  }

  purgeEvents(olderThanMs: number, limit: number): Promise<number> {
    return this.#call('purgeEvents', (store) => store.purgeEvents(olderThanMs, limit));
  }

  async #call<Answer>(what: string, act: (store: ExecutionStore) => Promise<Answer>): Promise<Answer> {
    if (this.#hasEnded) return never();
    const { faults, random, schedule, store, mutex } = this.#options;
    const call = this.#calls;
    this.#calls += 1;
    const fault = random.chance(faults.failure) ? random.pick(['before', 'after'] as const) : 'none';
    await this.#delay(`calls ${what}`);
    if (this.#hasEnded) return never();
    if (faults.end?.call === call && !faults.end.isExecuted) return this.#crash();
    if (fault === 'before') throw new StorageDownError(what);
    const answer = await this.#reportViolation(() => mutex.run(() => act(store)));
    if (faults.end?.call === call) return this.#crash();
    if (fault === 'after') schedule.note(`${this.#options.process} loses the answer of ${what}`);
    await this.#delay(`receives the answer of ${what}`);
    if (this.#hasEnded) return never();
    if (fault === 'after') throw new StorageDownError(what);
    return answer;
  }

  #crash(): Promise<never> {
    this.end();
    return never();
  }

  async #reportViolation<Answer>(act: () => Promise<Answer>): Promise<Answer> {
    try {
      return await act();
    } catch (error) {
      if (error instanceof Violation) this.#options.onViolation(error);
      throw error;
    }
  }

  async #delay(what: string): Promise<void> {
    const { faults, process, random, schedule } = this.#options;
    if (random.chance(faults.delay)) await schedule.wait(process, what);
  }

  /** The process has crashed or stopped: no call returns any more. */
  end(): void {
    this.#hasEnded = true;
    this.#options.onEnd();
  }
}

function never(): Promise<never> {
  return new Promise(() => {});
}

async function rootsOf(store: ExecutionStore, runner: string): Promise<readonly string[]> {
  const { executions } = await store.list('anyone', { parentExecutionId: null, limit: 1_000, offset: 0 });
  return executions.flatMap((execution) => (execution.runner === runner ? execution.id : []));
}
