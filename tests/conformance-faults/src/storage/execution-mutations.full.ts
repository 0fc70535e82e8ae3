import { ConformanceError, executionStoreCases } from '@halyard/conformance';
import type {
  ClaimedExecution,
  ClaimOptions,
  Commit,
  CommitOutcome,
  CreateOptions,
  CreateOutcome,
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
  Quarantine,
  ResumeRequest,
  RewindRequest,
  Runner,
  Termination,
} from '@halyard/contracts';
import { InMemoryExecutionStore } from '@halyard/memory-in-memory';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { backlogMutations } from './backlog-faults.ts';
import { claimNextMutations } from './claim-next-faults.ts';
import { placeMutations } from './place-faults.ts';
import { shareMutations } from './share-faults.ts';

type Store = typeof InMemoryExecutionStore;
type Held = Parameters<ExecutionStore['renew']>[0];
type Range = Parameters<ExecutionStore['events']>[2];

beforeAll(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});

afterAll(() => {
  vi.useRealTimers();
});

/** Stores with one fault each, and the case that must find it. */
const mutations: readonly (readonly [fault: string, foundBy: string, store: Store])[] = [
  [
    'creates every execution due at once',
    'creates an execution that is due later and cannot be claimed before',
    class extends InMemoryExecutionStore {
      override async create(execution: NewExecution, { dueInMs: _, ...options }: CreateOptions) {
        return super.create(execution, options);
      }
    },
  ],
  [
    'returns the id of every execution as that of its creation',
    'tells the executions apart that have the same id one after the other',
    class extends InMemoryExecutionStore {
      override async find(owner: Owner, id: string) {
        const execution = await super.find(owner, id);
        return execution && { ...execution, creationId: id };
      }
    },
  ],
  [
    'reads the events of whichever execution has the id',
    'tells the executions apart that have the same id one after the other',
    class extends InMemoryExecutionStore {
      override async events(owner: Owner, id: string, { creationId: _, ...range }: Range) {
        return super.events(owner, id, range);
      }
    },
  ],
  [
    'accepts a commit for the deleted execution that had the id before',
    'writes nothing for a runner whose execution was deleted, when its id is used again',
    class extends InMemoryExecutionStore {
      override async commit(commit: Commit): Promise<CommitOutcome> {
        const { creationId = '' } = (await super.find('anyone', commit.executionId)) ?? {};
        return super.commit({ ...commit, creationId });
      }
    },
  ],
  [
    'accepts a commit of a stale epoch',
    'writes nothing for a runner whose execution was taken over',
    class extends InMemoryExecutionStore {
      override async commit(commit: Commit): Promise<CommitOutcome> {
        return super.commit({ ...commit, epoch: (await super.find('anyone', commit.executionId))?.epoch ?? 0 });
      }
    },
  ],
  [
    'ignores the expected last event of a commit',
    'writes nothing when a commit expects another last event',
    class extends InMemoryExecutionStore {
      override async commit(commit: Commit): Promise<CommitOutcome> {
        return super.commit({ ...commit, expectedSeq: (await super.find('anyone', commit.executionId))?.seq ?? 0 });
      }
    },
  ],
  [
    'ignores the expected signals of a release',
    'writes nothing when a release has missed a signal',
    class extends InMemoryExecutionStore {
      override async commit(commit: Commit): Promise<CommitOutcome> {
        if (commit.release === undefined) return super.commit(commit);
        const expectedSignals = (await super.find('anyone', commit.executionId))?.signals ?? 0;
        return super.commit({ ...commit, release: { ...commit.release, expectedSignals } });
      }
    },
  ],
  [
    'reports a commit without writing it',
    'writes entries, events, sub-workflows, suspensions, timers and state in one commit',
    class extends InMemoryExecutionStore {
      override async commit(commit: Commit): Promise<CommitOutcome> {
        const before = await super.find('anyone', commit.executionId);
        if (before?.epoch !== commit.epoch) return { status: 'fenced' };
        const own = commit.changes.filter(({ id }) => id === before.id);
        const seq = before.seq + own.reduce((count, { events }) => count + events.length, 0);
        return { status: 'committed', signals: before.signals, seq };
      }
    },
  ],
  [
    'ignores limits of concurrency',
    'runs at most as many executions of a key at the same time as its limit, and the others wait without being due',
    class extends InMemoryExecutionStore {
      override create(execution: NewExecution, { concurrency: _, ...options }: CreateOptions): Promise<CreateOutcome> {
        return super.create(execution, options);
      }
    },
  ],
  [
    'forgets priorities',
    'stores the priority of an execution, and hands out the highest priority first',
    class extends InMemoryExecutionStore {
      override create(execution: NewExecution, { priority: _, ...options }: CreateOptions): Promise<CreateOutcome> {
        return super.create(execution, options);
      }
    },
  ],
  [
    'has one limit for all keys',
    'runs at most as many executions of a key at the same time as its limit, and the others wait without being due',
    class extends InMemoryExecutionStore {
      override create(execution: NewExecution, options: CreateOptions): Promise<CreateOutcome> {
        const { concurrency } = options;
        return super.create(execution, {
          ...options,
          ...(concurrency && { concurrency: { ...concurrency, key: 'all' } }),
        });
      }
    },
  ],
  [
    'starts an execution although its singleton is busy',
    'skips a start while an execution with its singleton key has not ended, whatever that one does',
    class extends InMemoryExecutionStore {
      override create(execution: NewExecution, { singleton: _, ...options }: CreateOptions): Promise<CreateOutcome> {
        return super.create(execution, options);
      }
    },
  ],
  [
    'ignores throttles',
    'delays starts so that no more than the limit of a throttle are due within its period',
    class extends InMemoryExecutionStore {
      override create(execution: NewExecution, { throttle: _, ...options }: CreateOptions): Promise<CreateOutcome> {
        return super.create(execution, options);
      }
    },
  ],
  [
    'delays debounced starts without a limit',
    'delays a start by its debounce, but not for longer than allowed after the first that has not been claimed',
    class extends InMemoryExecutionStore {
      override create(execution: NewExecution, options: CreateOptions): Promise<CreateOutcome> {
        const { debounce } = options;
        return super.create(execution, {
          ...options,
          ...(debounce && { debounce: { key: debounce.key, delayMs: debounce.delayMs } }),
        });
      }
    },
  ],
  [
    'supersedes nothing',
    'requests the cancellation of older executions with the same singleton key, once',
    class extends InMemoryExecutionStore {
      override async supersede(): Promise<readonly Job[]> {
        return [];
      }
    },
  ],
  [
    'ignores the settled paths of a commit',
    'settles exactly the given paths, before it adds the suspensions and timers of the commit',
    class extends InMemoryExecutionStore {
      override commit(commit: Commit): Promise<CommitOutcome> {
        return super.commit({ ...commit, settled: [] });
      }
    },
  ],
  ...(['entries', 'suspensions', 'timers', 'changes'] as const).map(
    (part) =>
      [
        `leaves the ${part} out of commits`,
        'writes entries, events, sub-workflows, suspensions, timers and state in one commit',
        class extends InMemoryExecutionStore {
          override commit(commit: Commit): Promise<CommitOutcome> {
            return super.commit({ ...commit, [part]: [] });
          }
        },
      ] as const,
  ),
  [
    'writes a commit twice that is sent twice',
    'writes a repeated commit once, with the same result',
    class extends InMemoryExecutionStore {
      #sent = 0;

      override async commit(commit: Commit): Promise<CommitOutcome> {
        this.#sent += 1;
        const { seq = 0 } = (await super.find('anyone', commit.executionId)) ?? {};
        return super.commit({ ...commit, commitId: `sent ${this.#sent}`, expectedSeq: seq });
      }
    },
  ],
  [
    'numbers events by a counter that a refused commit has moved on',
    'numbers events from 1 without gaps in each execution, whatever else is written',
    class extends InMemoryExecutionStore {
      readonly #gaps: { readonly id: string; readonly after: number; readonly size: number }[] = [];

      override async commit(commit: Commit): Promise<CommitOutcome> {
        const outcome = await super.commit(commit);
        if (outcome.status !== 'committed') {
          for (const { id, events } of commit.changes) {
            this.#gaps.push({ id, after: (await super.find('anyone', id))?.seq ?? 0, size: events.length });
          }
        }
        return outcome;
      }

      override async events(owner: Owner, id: string, range: Range): Promise<readonly ExecutionEvent[]> {
        const gapsBefore = (seq: number): number =>
          this.#gaps.reduce((sum, gap) => sum + (gap.id === id && gap.after < seq ? gap.size : 0), 0);
        const events = await super.events(owner, id, range);
        return events.map(({ seq, event }) => ({ seq: seq + gapsBefore(seq), event }));
      }
    },
  ],
  [
    'ends leases early',
    'grants no claim of a second runner before the lease of the first has expired',
    class extends InMemoryExecutionStore {
      override async claim(
        id: string,
        { leaseMs, runner }: Lease,
        options?: ClaimOptions,
      ): Promise<ClaimedExecution | undefined> {
        return super.claim(id, { runner, leaseMs: leaseMs / 2 }, options);
      }
    },
  ],
  [
    'grants all concurrent claims',
    'grants one of several concurrent claims',
    class extends InMemoryExecutionStore {
      override async claim(id: string, lease: Lease, options?: ClaimOptions): Promise<ClaimedExecution | undefined> {
        const wanted = (await super.find('anyone', id))?.runner === null;
        const claimed = await super.claim(id, lease, options);
        if (claimed !== undefined || !wanted) return claimed;
        const execution = await super.find('anyone', id);
        const now = 1_750_000_000_000;
        return execution && { execution, subject: undefined, journal: [], children: [], claimsWithoutCommit: 1, now };
      }
    },
  ],
  [
    'renews the leases of all runners',
    'reports what a runner has lost, and does not renew the lease of its new runner',
    class extends InMemoryExecutionStore {
      override async renew(held: Held, lease: Lease): Promise<readonly string[]> {
        const lost = await super.renew(held, lease);
        for (const executionId of lost) {
          const { epoch = 0, runner } = (await super.find('anyone', executionId)) ?? {};
          if (typeof runner === 'string') await super.renew([{ executionId, epoch }], { ...lease, runner });
        }
        return lost;
      }
    },
  ],
  [
    'renews a lease that has run out',
    'does not renew a lease that has run out',
    class extends InMemoryExecutionStore {
      override async renew(held: Held, lease: Lease): Promise<readonly string[]> {
        const lost = await super.renew(held, lease);
        for (const executionId of lost) await super.claim(executionId, lease);
        return [];
      }
    },
  ],
  [
    'leaves to a runner what it does not name',
    'takes from a runner what it does not know that it has claimed, one lease after the claim',
    class extends InMemoryExecutionStore {
      override async renew(held: Held, lease: Lease): Promise<readonly string[]> {
        const { executions } = await super.list('anyone', { parentExecutionId: null, limit: 100, offset: 0 });
        const all = executions.map(({ epoch, id }) => ({ executionId: id, epoch }));
        const lost = await super.renew(all, lease);
        return lost.filter((id) => held.some(({ executionId }) => executionId === id));
      }
    },
  ],
  [
    'takes from a runner at once what it does not name',
    'takes from a runner what it does not know that it has claimed, one lease after the claim',
    class extends InMemoryExecutionStore {
      override async renew(held: Held, lease: Lease): Promise<readonly string[]> {
        const lost = await super.renew(held, lease);
        const { executions } = await super.list('anyone', { parentExecutionId: null, limit: 100, offset: 0 });
        const known = new Set(held.map(({ executionId }) => executionId));
        for (const { id, runner, seq, signals } of executions)
          if (runner === lease.runner && !known.has(id)) {
            const unchanged = { expectedSeq: seq, expectedSignals: signals, paths: [], entries: [] };
            await super.rewind('anyone', { executionId: id, ...unchanged });
          }
        return lost;
      }
    },
  ],
  [
    'reports no lease as lost',
    'takes a rewound execution from its runner',
    class extends InMemoryExecutionStore {
      override async renew(held: Held, lease: Lease): Promise<readonly string[]> {
        await super.renew(held, lease);
        return [];
      }
    },
  ],
  [
    'reads whether a suspension is pending before it writes the answer',
    'accepts one of several concurrent answers to a suspension',
    class extends InMemoryExecutionStore {
      override async resume(owner: Owner, resume: ResumeRequest): Promise<'resumed' | 'not-suspended'> {
        const execution = await super.find(owner, resume.executionId);
        if (execution?.suspensions.some(({ id }) => id === resume.suspensionId) !== true) {
          return super.resume(owner, resume);
        }
        await super.resume(owner, resume);
        return 'resumed';
      }
    },
  ],
  [
    'does not recognise repeated requests',
    'resumes once for a repeated request, with the same result, also after the execution has continued',
    class extends InMemoryExecutionStore {
      #requests = 0;

      override async resume(owner: Owner, resume: ResumeRequest): Promise<'resumed' | 'not-suspended'> {
        this.#requests += 1;
        return super.resume(owner, { ...resume, requestId: `request ${this.#requests}` });
      }
    },
  ],
  [
    'treats every id in use as a repeated request',
    'refuses an id that is in use, and does not change its execution',
    class extends InMemoryExecutionStore {
      override async create(execution: NewExecution, options: CreateOptions): Promise<CreateOutcome> {
        await super.create(execution, options);
        return 'created';
      }
    },
  ],
  [
    'writes no checkpoints',
    'returns with a claim only the entries that its checkpoint names, and later ones, and the data of the checkpoint',
    class extends InMemoryExecutionStore {
      override async commit({ checkpoint: _, ...commit }: Commit): Promise<CommitOutcome> {
        return super.commit(commit);
      }
    },
  ],
  [
    'deletes the entries that a checkpoint leaves out',
    'keeps all entries and events for everyone who reads them',
    class extends InMemoryExecutionStore {
      #kept: readonly string[] | undefined;

      override async commit(commit: Commit): Promise<CommitOutcome> {
        this.#kept = commit.checkpoint?.entries ?? this.#kept;
        return super.commit(commit);
      }

      override async journal(owner: Owner, id: string): Promise<readonly JournalEntry[]> {
        return (await super.journal(owner, id)).filter(({ path }) => this.#kept?.includes(path) !== false);
      }
    },
  ],
  [
    'rewinds all paths with the same prefix',
    'deletes the records of a path, of the paths below it, and of its instances and decisions, and nothing else',
    class extends InMemoryExecutionStore {
      override async rewind(owner: Owner, rewind: RewindRequest): Promise<'rewound' | 'outdated'> {
        const journal = await super.journal(owner, rewind.executionId);
        const alike = journal
          .map(({ path }) => path)
          .filter((path) => rewind.paths.some((from) => path.startsWith(from)));
        return super.rewind(owner, { ...rewind, paths: [...rewind.paths, ...alike] });
      }
    },
  ],
  [
    'rewinds without the workflow states',
    'changes the given states of the root and its sub-workflows, and no other',
    class extends InMemoryExecutionStore {
      override async rewind(owner: Owner, { states: _, ...rewind }: RewindRequest): Promise<'rewound' | 'outdated'> {
        return super.rewind(owner, rewind);
      }
    },
  ],
  [
    'rewinds although the execution has changed',
    'rewinds nothing when the execution has changed since, or does not exist',
    class extends InMemoryExecutionStore {
      override async rewind(owner: Owner, rewind: RewindRequest): Promise<'rewound' | 'outdated'> {
        const { seq = 0, signals = 0 } = (await super.find(owner, rewind.executionId)) ?? {};
        return super.rewind(owner, { ...rewind, expectedSeq: seq, expectedSignals: signals });
      }
    },
  ],
  [
    'terminates only by a request',
    'ends an execution at once when it is terminated, with its open sub-workflows and their events',
    class extends InMemoryExecutionStore {
      override async terminate(owner: Owner, id: string) {
        const outcome = await super.request(owner, id, { kind: 'cancel', reason: '' });
        return outcome === 'requested' ? 'terminated' : outcome;
      }
    },
  ],
  [
    'leaves the sub-workflows of a terminated execution open',
    'ends an execution at once when it is terminated, with its open sub-workflows and their events',
    class extends InMemoryExecutionStore {
      #isTerminating = false;
      override async terminate(owner: Owner, id: string, termination: Termination) {
        this.#isTerminating = true;
        return super.terminate(owner, id, termination);
      }
      override async find(owner: Owner, id: string) {
        const execution = await super.find(owner, id);
        const isChild = execution !== undefined && execution.parentExecutionId !== null;
        return this.#isTerminating && isChild ? { ...execution, status: 'running' as const } : execution;
      }
    },
  ],
  [
    'writes the events of a termination only for the root',
    'ends an execution at once when it is terminated, with its open sub-workflows and their events',
    class extends InMemoryExecutionStore {
      override terminate(owner: Owner, id: string, termination: Termination) {
        return super.terminate(owner, id, { [id]: termination[id] ?? [] });
      }
    },
  ],
  [
    'accepts the commits of a process whose execution was terminated',
    'fences the runner of a terminated execution',
    class extends InMemoryExecutionStore {
      readonly #terminated = new Set<string>();
      override async terminate(owner: Owner, id: string, termination: Termination) {
        this.#terminated.add(id);
        return super.terminate(owner, id, termination);
      }
      override async commit(commit: Commit): Promise<CommitOutcome> {
        if (!this.#terminated.has(commit.executionId)) return super.commit(commit);
        return { status: 'committed', seq: commit.expectedSeq, signals: 0 };
      }
    },
  ],
  [
    'renews the lease of an execution that was terminated',
    'fences the runner of a terminated execution',
    class extends InMemoryExecutionStore {
      readonly #terminated = new Set<string>();
      override async terminate(owner: Owner, id: string, termination: Termination) {
        this.#terminated.add(id);
        return super.terminate(owner, id, termination);
      }
      override async renew(held: Held, lease: Lease): Promise<readonly string[]> {
        return (await super.renew(held, lease)).filter((id) => !this.#terminated.has(id));
      }
    },
  ],
  [
    'terminates only executions that a runner can claim',
    'terminates an execution whose definition no process has, and lets it be purged',
    class extends InMemoryExecutionStore {
      override async terminate(owner: Owner, id: string, termination: Termination) {
        const isKnown = (await super.find(owner, id))?.definition === 'orders';
        return isKnown ? super.terminate(owner, id, termination) : 'not-found';
      }
    },
  ],
  [
    'terminates executions of others',
    'terminates no execution that has ended, is unknown, is of another user, or is a sub-workflow',
    class extends InMemoryExecutionStore {
      override terminate(_owner: Owner, id: string, termination: Termination) {
        return super.terminate('anyone', id, termination);
      }
    },
  ],
  [
    'reports that it has terminated an execution that had ended',
    'terminates no execution that has ended, is unknown, is of another user, or is a sub-workflow',
    class extends InMemoryExecutionStore {
      override async terminate(owner: Owner, id: string, termination: Termination) {
        const outcome = await super.terminate(owner, id, termination);
        return outcome === 'idle' ? 'terminated' : outcome;
      }
    },
  ],
  [
    'does not say for which definitions a runner asks',
    'names the definitions for which each runner with a lease has asked',
    class extends InMemoryExecutionStore {
      override async runners(): Promise<readonly Runner[]> {
        return (await super.runners()).map(({ definitions: _, ...runner }) => runner);
      }
    },
  ],
  [
    'makes sleeping executions due at once',
    'releases the lease, and grants no claim before the execution is due',
    class extends InMemoryExecutionStore {
      override async commit(commit: Commit): Promise<CommitOutcome> {
        if (commit.release === undefined || commit.release.dueAt === null) return super.commit(commit);
        return super.commit({ ...commit, release: { ...commit.release, dueAt: 0 } });
      }
    },
  ],
  [
    'does not count claims without a commit',
    'counts the claims in a row without a commit',
    class extends InMemoryExecutionStore {
      override async claim(id: string, lease: Lease): Promise<ClaimedExecution | undefined> {
        const claimed = await super.claim(id, lease);
        return claimed && { ...claimed, claimsWithoutCommit: 1 };
      }
    },
  ],
  [
    'leaves the runner of a quarantined execution its lease',
    'quarantines an execution after its lease, with its suspension and events, until it is resumed',
    class extends InMemoryExecutionStore {
      override quarantine(id: string, quarantine: Quarantine): Promise<boolean> {
        return super.quarantine(id, { ...quarantine, minClaims: 0 });
      }
    },
  ],
  [
    'returns the size of the page as the total',
    'returns pages of the matches, and counts all of them',
    class extends InMemoryExecutionStore {
      override async list(owner: Owner, filter: ExecutionFilter): ReturnType<ExecutionStore['list']> {
        const page = await super.list(owner, filter);
        return { ...page, total: page.executions.length };
      }
    },
  ],
  [
    'says that others follow when the page is full',
    'says whether others follow',
    class extends InMemoryExecutionStore {
      override async list(owner: Owner, filter: ExecutionFilter): ReturnType<ExecutionStore['list']> {
        const page = await super.list(owner, filter);
        return { ...page, hasMore: page.executions.length === filter.limit };
      }
    },
  ],
  [
    'ignores the limit of bytes of a page',
    'ends a page where it would have more than `maxBytes`, but not before its first execution',
    class extends InMemoryExecutionStore {
      override async list(
        owner: Owner,
        { maxBytes: _, ...filter }: ExecutionFilter,
      ): ReturnType<ExecutionStore['list']> {
        return super.list(owner, filter);
      }
    },
  ],
  [
    'ignores the limit of bytes of histories',
    'leaves out the later events of several executions where they would have more than `maxBytes`',
    class extends InMemoryExecutionStore {
      override histories(owner: Owner, ids: readonly string[], limit: number): ReturnType<ExecutionStore['histories']> {
        return super.histories(owner, ids, limit);
      }
    },
  ],
  [
    'forgets where a page begins',
    'returns what follows an execution, also when it has changed',
    class extends InMemoryExecutionStore {
      override async list(owner: Owner, { after: _, ...filter }: ExecutionFilter): ReturnType<ExecutionStore['list']> {
        return super.list(owner, filter);
      }
    },
  ],
  [
    'leaves idle runners out of their list',
    'lists the runners with a lease, and lost ones as long as they have executions',
    class extends InMemoryExecutionStore {
      override async runners(): Promise<readonly Runner[]> {
        return (await super.runners()).filter(({ executions }) => executions > 0);
      }
    },
  ],
  [
    'ignores the ids of a list',
    'filters by ids, together with other conditions',
    class extends InMemoryExecutionStore {
      override async list(owner: Owner, { ids: _, ...filter }: ExecutionFilter): ReturnType<ExecutionStore['list']> {
        return super.list(owner, filter);
      }
    },
  ],
  [
    'counts further than it is told to',
    'counts no further than it is told to',
    class extends InMemoryExecutionStore {
      override async list(owner: Owner, filter: ExecutionFilter): ReturnType<ExecutionStore['list']> {
        return super.list(owner, { ...filter, maxTotal: Infinity });
      }
    },
  ],
  [
    'lists executions of the same time by id',
    'lists the newest first, also those of the same time',
    class extends InMemoryExecutionStore {
      override async list(owner: Owner, filter: ExecutionFilter): ReturnType<ExecutionStore['list']> {
        const { executions, ...page } = await super.list(owner, filter);
        const order = (one: Execution, other: Execution): number =>
          other.createdAt - one.createdAt || one.id.localeCompare(other.id);
        return { ...page, executions: executions.toSorted(order) };
      }
    },
  ],
  ...(['workflowId', 'status', 'userId', 'from', 'to', 'metadata'] as const).map(
    (key) =>
      [
        `does not filter by ${key}`,
        'filters by workflow, status, user, time and metadata, all together',
        class extends InMemoryExecutionStore {
          override list(owner: Owner, filter: ExecutionFilter): ReturnType<ExecutionStore['list']> {
            const { [key]: _left, ...rest } = filter;
            return super.list(owner, rest);
          }
        },
      ] as const,
  ),
  [
    'notifies no watcher',
    'notifies watchers of commits, and of resumptions, requests and rewinds as signals',
    class extends InMemoryExecutionStore {
      override watch(): () => void {
        return () => {};
      }
    },
  ],
  [
    'reports every change as a commit',
    'notifies watchers of commits, and of resumptions, requests and rewinds as signals',
    class extends InMemoryExecutionStore {
      override watch(id: string, listener: (change: 'commit' | 'signal') => void): () => void {
        return super.watch(id, () => listener('commit'));
      }
    },
  ],
  [
    'notifies removed watchers',
    'does not notify removed watchers, and still notifies the others',
    class extends InMemoryExecutionStore {
      override watch(id: string, listener: (change: 'commit' | 'signal') => void): () => void {
        super.watch(id, listener);
        return () => {};
      }
    },
  ],
  [
    'ignores the limit of a purge',
    'deletes at most as many executions as requested',
    class extends InMemoryExecutionStore {
      override async purge(olderThanMs: number, limit: number): Promise<number> {
        return Math.min(limit, await super.purge(olderThanMs, 1_000));
      }
    },
  ],
  [
    'deletes one batch of events for each batch of executions',
    'deletes at most as many old events as requested, whether or not executions are deleted',
    class extends InMemoryExecutionStore {
      #isDue = true;
      override async purgeEvents(olderThanMs: number, limit: number): Promise<number> {
        if (!this.#isDue) return 0;
        this.#isDue = false;
        return super.purgeEvents(olderThanMs, limit);
      }
      override purge(olderThanMs: number, limit: number): Promise<number> {
        this.#isDue = true;
        return super.purge(olderThanMs, limit);
      }
    },
  ],
  [
    'deletes executions that have just ended',
    'deletes executions that ended long enough ago, with their sub-workflows, journals and events',
    class extends InMemoryExecutionStore {
      override purge(_olderThanMs: number, limit: number): Promise<number> {
        return super.purge(0, limit);
      }
    },
  ],
  ...ownerless(),
  ...claimNextMutations,
  ...backlogMutations,
  ...placeMutations,
  ...shareMutations,
];

/** Stores that ignore the owner in one method each. */
function ownerless(): readonly (readonly [string, string, Store])[] {
  const reads = 'finds neither executions of another user nor their journals, events and histories';
  const writes = 'refuses to resume, rewind or send a request to an execution of another user';
  return [
    [
      'ignores the owner when it finds',
      reads,
      class extends InMemoryExecutionStore {
        override find(_owner: Owner, id: string): Promise<Execution | undefined> {
          return super.find('anyone', id);
        }
      },
    ],
    [
      'returns the journal to every user',
      reads,
      class extends InMemoryExecutionStore {
        override journal(_owner: Owner, id: string): Promise<readonly JournalEntry[]> {
          return super.journal('anyone', id);
        }
      },
    ],
    [
      'returns events to every user',
      reads,
      class extends InMemoryExecutionStore {
        override events(_owner: Owner, id: string, range: Range): Promise<readonly ExecutionEvent[]> {
          return super.events('anyone', id, range);
        }
      },
    ],
    [
      'returns histories to every user',
      reads,
      class extends InMemoryExecutionStore {
        override histories(
          _owner: Owner,
          ids: readonly string[],
          limit: number,
        ): ReturnType<ExecutionStore['histories']> {
          return super.histories('anyone', ids, limit);
        }
      },
    ],
    [
      'lists the executions of all users',
      'lists and counts only data of the owner',
      class extends InMemoryExecutionStore {
        override list(_owner: Owner, filter: ExecutionFilter): ReturnType<ExecutionStore['list']> {
          return super.list('anyone', filter);
        }
      },
    ],
    [
      'ignores the owner when it resumes',
      writes,
      class extends InMemoryExecutionStore {
        override resume(_owner: Owner, resume: ResumeRequest): Promise<'resumed' | 'not-suspended'> {
          return super.resume('anyone', resume);
        }
      },
    ],
    [
      'ignores the owner of a request',
      writes,
      class extends InMemoryExecutionStore {
        override request(_owner: Owner, id: string, request: ExecutionRequest): ReturnType<ExecutionStore['request']> {
          return super.request('anyone', id, request);
        }
      },
    ],
    [
      'ignores the owner when it rewinds',
      writes,
      class extends InMemoryExecutionStore {
        override rewind(_owner: Owner, rewind: RewindRequest): Promise<'rewound' | 'outdated'> {
          return super.rewind('anyone', rewind);
        }
      },
    ],
  ];
}

it.each(mutations)('the suite finds a store that %s', async (_fault, foundBy, Mutation) => {
  const failed = await failuresOf(Mutation);
  expect([...failed.keys()]).toContain(foundBy);
  expect(failed.get(foundBy)).toBeInstanceOf(ConformanceError);
});

it('finds no fault in the original store', async () => {
  expect(await failuresOf(InMemoryExecutionStore)).toEqual(new Map());
});

/** The cases that a store fails, with the reasons. Fake timers skip the time that a case waits. */
async function failuresOf(Mutation: Store): Promise<ReadonlyMap<string, unknown>> {
  const failed = new Map<string, unknown>();
  const running = Promise.all(
    executionStoreCases.map(async ({ name, run }) => {
      let now = 1_750_000_000_000;
      const advance = (ms: number): void => {
        now += ms;
      };
      await run({ store: new Mutation({ now: () => now }), advance }).catch((error: unknown) =>
        failed.set(name, error),
      );
    }),
  );
  let isDone = false;
  void running.finally(() => {
    isDone = true;
  });
  while (!isDone) await vi.advanceTimersByTimeAsync(60_000);
  return failed;
}
