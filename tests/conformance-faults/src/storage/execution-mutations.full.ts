import { ConformanceError, executionStoreCases } from '@halyard/conformance';
import type { Execution } from '@halyard/contracts';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { backlogMutations } from './backlog-faults.ts';
import { claimNextMutations } from './claim-next-faults.ts';
import { createdClaimMutations } from './created-claim-faults.ts';
import { type ExecutionFault, type MethodFaults, storeWith } from './execution-fault.ts';
import { placeMutations } from './place-faults.ts';
import { shareMutations } from './share-faults.ts';

beforeAll(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});

afterAll(() => {
  vi.useRealTimers();
});

/** Stores with one fault each, and the case that must find it. */
const mutations: readonly ExecutionFault[] = [
  [
    'creates every execution due at once',
    'creates an execution that is due later and cannot be claimed before',
    (real) => ({ create: async (execution, { dueInMs: _, ...options }) => real.create(execution, options) }),
  ],
  [
    'returns the id of every execution as that of its creation',
    'tells the executions apart that have the same id one after the other',
    (real) => ({
      find: async (owner, id) => {
        const execution = await real.find(owner, id);
        return execution && { ...execution, creationId: id };
      },
    }),
  ],
  [
    'reads the events of whichever execution has the id',
    'tells the executions apart that have the same id one after the other',
    (real) => ({ events: async (owner, id, { creationId: _, ...range }) => real.events(owner, id, range) }),
  ],
  [
    'accepts a commit for the deleted execution that had the id before',
    'writes nothing for a runner whose execution was deleted, when its id is used again',
    (real) => ({
      commit: async (commit) => {
        const { creationId = '' } = (await real.find('anyone', commit.executionId)) ?? {};
        return real.commit({ ...commit, creationId });
      },
    }),
  ],
  [
    'accepts a commit of a stale epoch',
    'writes nothing for a runner whose execution was taken over',
    (real) => ({
      commit: async (commit) =>
        real.commit({ ...commit, epoch: (await real.find('anyone', commit.executionId))?.epoch ?? 0 }),
    }),
  ],
  [
    'ignores the expected last event of a commit',
    'writes nothing when a commit expects another last event',
    (real) => ({
      commit: async (commit) =>
        real.commit({ ...commit, expectedSeq: (await real.find('anyone', commit.executionId))?.seq ?? 0 }),
    }),
  ],
  [
    'ignores the expected signals of a release',
    'writes nothing when a release has missed a signal',
    (real) => ({
      commit: async (commit) => {
        if (commit.release === undefined) return real.commit(commit);
        const expectedSignals = (await real.find('anyone', commit.executionId))?.signals ?? 0;
        return real.commit({ ...commit, release: { ...commit.release, expectedSignals } });
      },
    }),
  ],
  [
    'reports a commit without writing it',
    'writes entries, events, sub-workflows, suspensions, timers and state in one commit',
    (real) => ({
      commit: async (commit) => {
        const before = await real.find('anyone', commit.executionId);
        if (before?.epoch !== commit.epoch) return { status: 'fenced' };
        const own = commit.changes.filter(({ id }) => id === before.id);
        const seq = before.seq + own.reduce((count, { events }) => count + events.length, 0);
        return { status: 'committed', signals: before.signals, seq };
      },
    }),
  ],
  [
    'ignores limits of concurrency',
    'runs at most as many executions of a key at the same time as its limit, and the others wait without being due',
    (real) => ({ create: (execution, { concurrency: _, ...options }) => real.create(execution, options) }),
  ],
  [
    'forgets priorities',
    'stores the priority of an execution, and hands out the highest priority first',
    (real) => ({ create: (execution, { priority: _, ...options }) => real.create(execution, options) }),
  ],
  [
    'has one limit for all keys',
    'runs at most as many executions of a key at the same time as its limit, and the others wait without being due',
    (real) => ({
      create: (execution, options) => {
        const { concurrency } = options;
        return real.create(execution, {
          ...options,
          ...(concurrency && { concurrency: { ...concurrency, key: 'all' } }),
        });
      },
    }),
  ],
  [
    'starts an execution although its singleton is busy',
    'skips a start while an execution with its singleton key has not ended, whatever that one does',
    (real) => ({ create: (execution, { singleton: _, ...options }) => real.create(execution, options) }),
  ],
  [
    'ignores throttles',
    'delays starts so that no more than the limit of a throttle are due within its period',
    (real) => ({ create: (execution, { throttle: _, ...options }) => real.create(execution, options) }),
  ],
  [
    'delays debounced starts without a limit',
    'delays a start by its debounce, but not for longer than allowed after the first that has not been claimed',
    (real) => ({
      create: (execution, options) => {
        const { debounce } = options;
        return real.create(execution, {
          ...options,
          ...(debounce && { debounce: { key: debounce.key, delayMs: debounce.delayMs } }),
        });
      },
    }),
  ],
  [
    'supersedes nothing',
    'requests the cancellation of older executions with the same singleton key, once',
    () => ({ supersede: async () => [] }),
  ],
  [
    'ignores the settled paths of a commit',
    'settles exactly the given paths, before it adds the suspensions and timers of the commit',
    (real) => ({ commit: (commit) => real.commit({ ...commit, settled: [] }) }),
  ],
  ...(['entries', 'suspensions', 'timers', 'changes'] as const).map((part): ExecutionFault => [
    `leaves the ${part} out of commits`,
    'writes entries, events, sub-workflows, suspensions, timers and state in one commit',
    (real) => ({ commit: (commit) => real.commit({ ...commit, [part]: [] }) }),
  ]),
  [
    'writes a commit twice that is sent twice',
    'writes a repeated commit once, with the same result',
    (real) => {
      let sent = 0;
      return {
        commit: async (commit) => {
          sent += 1;
          const { seq = 0 } = (await real.find('anyone', commit.executionId)) ?? {};
          return real.commit({ ...commit, commitId: `sent ${sent}`, expectedSeq: seq });
        },
      };
    },
  ],
  [
    'numbers events by a counter that a refused commit has moved on',
    'numbers events from 1 without gaps in each execution, whatever else is written',
    (real) => {
      const gaps: { readonly id: string; readonly after: number; readonly size: number }[] = [];
      return {
        commit: async (commit) => {
          const outcome = await real.commit(commit);
          if (outcome.status !== 'committed') {
            for (const { id, events } of commit.changes) {
              gaps.push({ id, after: (await real.find('anyone', id))?.seq ?? 0, size: events.length });
            }
          }
          return outcome;
        },
        events: async (owner, id, range) => {
          const gapsBefore = (seq: number): number =>
            gaps.reduce((sum, gap) => sum + (gap.id === id && gap.after < seq ? gap.size : 0), 0);
          const events = await real.events(owner, id, range);
          return events.map(({ seq, event }) => ({ seq: seq + gapsBefore(seq), event }));
        },
      };
    },
  ],
  [
    'ends leases early',
    'grants no claim of a second runner before the lease of the first has expired',
    (real) => ({
      claim: async (id, { leaseMs, runner }, options) => real.claim(id, { runner, leaseMs: leaseMs / 2 }, options),
    }),
  ],
  [
    'grants all concurrent claims',
    'grants one of several concurrent claims',
    (real) => ({
      claim: async (id, lease, options) => {
        const wanted = (await real.find('anyone', id))?.runner === null;
        const claimed = await real.claim(id, lease, options);
        if (claimed !== undefined || !wanted) return claimed;
        const execution = await real.find('anyone', id);
        const now = 1_750_000_000_000;
        return execution && { execution, subject: undefined, journal: [], children: [], claimsWithoutCommit: 1, now };
      },
    }),
  ],
  [
    'renews the leases of all runners',
    'reports what a runner has lost, and does not renew the lease of its new runner',
    (real) => ({
      renew: async (held, lease) => {
        const lost = await real.renew(held, lease);
        for (const executionId of lost) {
          const { epoch = 0, runner } = (await real.find('anyone', executionId)) ?? {};
          if (typeof runner === 'string') await real.renew([{ executionId, epoch }], { ...lease, runner });
        }
        return lost;
      },
    }),
  ],
  [
    'renews a lease that has run out',
    'does not renew a lease that has run out',
    (real) => ({
      renew: async (held, lease) => {
        const lost = await real.renew(held, lease);
        for (const executionId of lost) await real.claim(executionId, lease);
        return [];
      },
    }),
  ],
  [
    'leaves to a runner what it does not name',
    'takes from a runner what it does not know that it has claimed, one lease after the claim',
    (real) => ({
      renew: async (held, lease) => {
        const { executions } = await real.list('anyone', { parentExecutionId: null, limit: 100, offset: 0 });
        const all = executions.map(({ epoch, id }) => ({ executionId: id, epoch }));
        const lost = await real.renew(all, lease);
        return lost.filter((id) => held.some(({ executionId }) => executionId === id));
      },
    }),
  ],
  [
    'takes from a runner at once what it does not name',
    'takes from a runner what it does not know that it has claimed, one lease after the claim',
    (real) => ({
      renew: async (held, lease) => {
        const lost = await real.renew(held, lease);
        const { executions } = await real.list('anyone', { parentExecutionId: null, limit: 100, offset: 0 });
        const known = new Set(held.map(({ executionId }) => executionId));
        for (const { id, runner, seq, signals } of executions)
          if (runner === lease.runner && !known.has(id)) {
            const unchanged = { expectedSeq: seq, expectedSignals: signals, paths: [], entries: [] };
            await real.rewind('anyone', { executionId: id, ...unchanged });
          }
        return lost;
      },
    }),
  ],
  [
    'reports no lease as lost',
    'takes a rewound execution from its runner',
    (real) => ({
      renew: async (held, lease) => {
        await real.renew(held, lease);
        return [];
      },
    }),
  ],
  [
    'reads whether a suspension is pending before it writes the answer',
    'accepts one of several concurrent answers to a suspension',
    (real) => ({
      resume: async (owner, resume) => {
        const execution = await real.find(owner, resume.executionId);
        if (execution?.suspensions.some(({ id }) => id === resume.suspensionId) !== true) {
          return real.resume(owner, resume);
        }
        await real.resume(owner, resume);
        return 'resumed';
      },
    }),
  ],
  [
    'does not recognise repeated requests',
    'resumes once for a repeated request, with the same result, also after the execution has continued',
    (real) => {
      let requests = 0;
      return {
        resume: async (owner, resume) => {
          requests += 1;
          return real.resume(owner, { ...resume, requestId: `request ${requests}` });
        },
      };
    },
  ],
  [
    'treats every id in use as a repeated request',
    'refuses an id that is in use, and does not change its execution',
    (real) => ({
      create: async (execution, options) => {
        await real.create(execution, options);
        return 'created';
      },
    }),
  ],
  [
    'writes no checkpoints',
    'returns with a claim only the entries that its checkpoint names, and later ones, and the data of the checkpoint',
    (real) => ({ commit: async ({ checkpoint: _, ...commit }) => real.commit(commit) }),
  ],
  [
    'deletes the entries that a checkpoint leaves out',
    'keeps all entries and events for everyone who reads them',
    (real) => {
      let kept: readonly string[] | undefined;
      return {
        commit: async (commit) => {
          kept = commit.checkpoint?.entries ?? kept;
          return real.commit(commit);
        },
        journal: async (owner, id) =>
          (await real.journal(owner, id)).filter(({ path }) => kept?.includes(path) !== false),
      };
    },
  ],
  [
    'rewinds all paths with the same prefix',
    'deletes the records of a path, of the paths below it, and of its instances and decisions, and nothing else',
    (real) => ({
      rewind: async (owner, rewind) => {
        const journal = await real.journal(owner, rewind.executionId);
        const alike = journal
          .map(({ path }) => path)
          .filter((path) => rewind.paths.some((from) => path.startsWith(from)));
        return real.rewind(owner, { ...rewind, paths: [...rewind.paths, ...alike] });
      },
    }),
  ],
  [
    'rewinds without the workflow states',
    'changes the given states of the root and its sub-workflows, and no other',
    (real) => ({ rewind: async (owner, { states: _, ...rewind }) => real.rewind(owner, rewind) }),
  ],
  [
    'rewinds although the execution has changed',
    'rewinds nothing when the execution has changed since, or does not exist',
    (real) => ({
      rewind: async (owner, rewind) => {
        const { seq = 0, signals = 0 } = (await real.find(owner, rewind.executionId)) ?? {};
        return real.rewind(owner, { ...rewind, expectedSeq: seq, expectedSignals: signals });
      },
    }),
  ],
  [
    'terminates only by a request',
    'ends an execution at once when it is terminated, with its open sub-workflows and their events',
    (real) => ({
      terminate: async (owner, id) => {
        const outcome = await real.request(owner, id, { kind: 'cancel', reason: '' });
        return outcome === 'requested' ? 'terminated' : outcome;
      },
    }),
  ],
  [
    'leaves the sub-workflows of a terminated execution open',
    'ends an execution at once when it is terminated, with its open sub-workflows and their events',
    (real) => {
      let isTerminating = false;
      return {
        terminate: async (owner, id, termination) => {
          isTerminating = true;
          return real.terminate(owner, id, termination);
        },
        find: async (owner, id) => {
          const execution = await real.find(owner, id);
          const isChild = execution !== undefined && execution.parentExecutionId !== null;
          return isTerminating && isChild ? { ...execution, status: 'running' as const } : execution;
        },
      };
    },
  ],
  [
    'writes the events of a termination only for the root',
    'ends an execution at once when it is terminated, with its open sub-workflows and their events',
    (real) => ({ terminate: (owner, id, termination) => real.terminate(owner, id, { [id]: termination[id] ?? [] }) }),
  ],
  [
    'accepts the commits of a process whose execution was terminated',
    'fences the runner of a terminated execution',
    (real) => {
      const terminated = new Set<string>();
      return {
        terminate: async (owner, id, termination) => {
          terminated.add(id);
          return real.terminate(owner, id, termination);
        },
        commit: async (commit) => {
          if (!terminated.has(commit.executionId)) return real.commit(commit);
          return { status: 'committed', seq: commit.expectedSeq, signals: 0 };
        },
      };
    },
  ],
  [
    'renews the lease of an execution that was terminated',
    'fences the runner of a terminated execution',
    (real) => {
      const terminated = new Set<string>();
      return {
        terminate: async (owner, id, termination) => {
          terminated.add(id);
          return real.terminate(owner, id, termination);
        },
        renew: async (held, lease) => (await real.renew(held, lease)).filter((id) => !terminated.has(id)),
      };
    },
  ],
  [
    'terminates only executions that a runner can claim',
    'terminates an execution whose definition no process has, and lets it be purged',
    (real) => ({
      terminate: async (owner, id, termination) => {
        const isKnown = (await real.find(owner, id))?.definition === 'orders';
        return isKnown ? real.terminate(owner, id, termination) : 'not-found';
      },
    }),
  ],
  [
    'terminates executions of others',
    'terminates no execution that has ended, is unknown, is of another user, or is a sub-workflow',
    (real) => ({ terminate: (_owner, id, termination) => real.terminate('anyone', id, termination) }),
  ],
  [
    'reports that it has terminated an execution that had ended',
    'terminates no execution that has ended, is unknown, is of another user, or is a sub-workflow',
    (real) => ({
      terminate: async (owner, id, termination) => {
        const outcome = await real.terminate(owner, id, termination);
        return outcome === 'idle' ? 'terminated' : outcome;
      },
    }),
  ],
  [
    'does not say for which definitions a runner asks',
    'names the definitions for which each runner with a lease has asked',
    (real) => ({ runners: async () => (await real.runners()).map(({ definitions: _, ...runner }) => runner) }),
  ],
  [
    'makes sleeping executions due at once',
    'releases the lease, and grants no claim before the execution is due',
    (real) => ({
      commit: async (commit) => {
        if (commit.release === undefined || commit.release.dueAt === null) return real.commit(commit);
        return real.commit({ ...commit, release: { ...commit.release, dueAt: 0 } });
      },
    }),
  ],
  [
    'does not count claims without a commit',
    'counts the claims in a row without a commit',
    (real) => ({
      claim: async (id, lease) => {
        const claimed = await real.claim(id, lease);
        return claimed && { ...claimed, claimsWithoutCommit: 1 };
      },
    }),
  ],
  [
    'leaves the runner of a quarantined execution its lease',
    'quarantines an execution after its lease, with its suspension and events, until it is resumed',
    (real) => ({ quarantine: (id, quarantine) => real.quarantine(id, { ...quarantine, minClaims: 0 }) }),
  ],
  [
    'returns the size of the page as the total',
    'returns pages of the matches, and counts all of them',
    (real) => ({
      list: async (owner, filter) => {
        const page = await real.list(owner, filter);
        return { ...page, total: page.executions.length };
      },
    }),
  ],
  [
    'says that others follow when the page is full',
    'says whether others follow',
    (real) => ({
      list: async (owner, filter) => {
        const page = await real.list(owner, filter);
        return { ...page, hasMore: page.executions.length === filter.limit };
      },
    }),
  ],
  [
    'ignores the limit of bytes of a page',
    'ends a page where it would have more than `maxBytes`, but not before its first execution',
    (real) => ({ list: async (owner, { maxBytes: _, ...filter }) => real.list(owner, filter) }),
  ],
  [
    'ignores the limit of bytes of histories',
    'leaves out the later events of several executions where they would have more than `maxBytes`',
    (real) => ({ histories: (owner, ids, limit) => real.histories(owner, ids, limit) }),
  ],
  [
    'forgets where a page begins',
    'returns what follows an execution, also when it has changed',
    (real) => ({ list: async (owner, { after: _, ...filter }) => real.list(owner, filter) }),
  ],
  [
    'leaves idle runners out of their list',
    'lists the runners with a lease, and lost ones as long as they have executions',
    (real) => ({ runners: async () => (await real.runners()).filter(({ executions }) => executions > 0) }),
  ],
  [
    'ignores the ids of a list',
    'filters by ids, together with other conditions',
    (real) => ({ list: async (owner, { ids: _, ...filter }) => real.list(owner, filter) }),
  ],
  [
    'counts further than it is told to',
    'counts no further than it is told to',
    (real) => ({ list: async (owner, filter) => real.list(owner, { ...filter, maxTotal: Infinity }) }),
  ],
  [
    'lists executions of the same time by id',
    'lists the newest first, also those of the same time',
    (real) => ({
      list: async (owner, filter) => {
        const { executions, ...page } = await real.list(owner, filter);
        const order = (one: Execution, other: Execution): number =>
          other.createdAt - one.createdAt || one.id.localeCompare(other.id);
        return { ...page, executions: executions.toSorted(order) };
      },
    }),
  ],
  ...(['workflowId', 'status', 'userId', 'from', 'to', 'metadata'] as const).map((key): ExecutionFault => [
    `does not filter by ${key}`,
    'filters by workflow, status, user, time and metadata, all together',
    (real) => ({
      list: (owner, filter) => {
        const { [key]: _left, ...rest } = filter;
        return real.list(owner, rest);
      },
    }),
  ]),
  [
    'notifies no watcher',
    'notifies watchers of commits, and of resumptions, requests and rewinds as signals',
    () => ({ watch: () => () => {} }),
  ],
  [
    'reports every change as a commit',
    'notifies watchers of commits, and of resumptions, requests and rewinds as signals',
    (real) => ({ watch: (id, listener) => real.watch(id, () => listener('commit')) }),
  ],
  [
    'notifies removed watchers',
    'does not notify removed watchers, and still notifies the others',
    (real) => ({
      watch: (id, listener) => {
        real.watch(id, listener);
        return () => {};
      },
    }),
  ],
  [
    'ignores the limit of a purge',
    'deletes at most as many executions as requested',
    (real) => ({ purge: async (olderThanMs, limit) => Math.min(limit, await real.purge(olderThanMs, 1_000)) }),
  ],
  [
    'deletes one batch of events for each batch of executions',
    'deletes at most as many old events as requested, whether or not executions are deleted',
    (real) => {
      let isDue = true;
      return {
        purgeEvents: async (olderThanMs, limit) => {
          if (!isDue) return 0;
          isDue = false;
          return real.purgeEvents(olderThanMs, limit);
        },
        purge: (olderThanMs, limit) => {
          isDue = true;
          return real.purge(olderThanMs, limit);
        },
      };
    },
  ],
  [
    'deletes executions that have just ended',
    'deletes executions that ended long enough ago, with their sub-workflows, journals and events',
    (real) => ({ purge: (_olderThanMs, limit) => real.purge(0, limit) }),
  ],
  ...ownerless(),
  ...claimNextMutations,
  ...backlogMutations,
  ...createdClaimMutations,
  ...placeMutations,
  ...shareMutations,
];

/** Stores that ignore the owner in one method each. */
function ownerless(): readonly ExecutionFault[] {
  const reads = 'finds neither executions of another user nor their journals, events and histories';
  const writes = 'refuses to resume, rewind or send a request to an execution of another user';
  return [
    ['ignores the owner when it finds', reads, (real) => ({ find: (_owner, id) => real.find('anyone', id) })],
    ['returns the journal to every user', reads, (real) => ({ journal: (_owner, id) => real.journal('anyone', id) })],
    [
      'returns events to every user',
      reads,
      (real) => ({ events: (_owner, id, range) => real.events('anyone', id, range) }),
    ],
    [
      'returns histories to every user',
      reads,
      (real) => ({ histories: (_owner, ids, limit) => real.histories('anyone', ids, limit) }),
    ],
    [
      'lists the executions of all users',
      'lists and counts only data of the owner',
      (real) => ({ list: (_owner, filter) => real.list('anyone', filter) }),
    ],
    [
      'ignores the owner when it resumes',
      writes,
      (real) => ({ resume: (_owner, resume) => real.resume('anyone', resume) }),
    ],
    [
      'ignores the owner of a request',
      writes,
      (real) => ({ request: (_owner, id, request) => real.request('anyone', id, request) }),
    ],
    [
      'ignores the owner when it rewinds',
      writes,
      (real) => ({ rewind: (_owner, rewind) => real.rewind('anyone', rewind) }),
    ],
  ];
}

it.each(mutations)('the suite finds a store that %s', async (_fault, foundBy, fault) => {
  const failed = await failuresOf(
    fault,
    executionStoreCases.filter(({ name }) => name === foundBy),
  );
  expect([...failed.keys()]).toContain(foundBy);
  expect(failed.get(foundBy)).toBeInstanceOf(ConformanceError);
});

it('finds no fault in the original store', async () => {
  expect(await failuresOf(() => ({}), executionStoreCases)).toEqual(new Map());
});

/** The cases that a store fails, with the reasons. Fake timers skip the time that a case waits. */
async function failuresOf(
  fault: MethodFaults,
  cases: typeof executionStoreCases,
): Promise<ReadonlyMap<string, unknown>> {
  const failed = new Map<string, unknown>();
  const running = Promise.all(
    cases.map(async ({ name, run }) => {
      let now = 1_750_000_000_000;
      const advance = (ms: number): void => {
        now += ms;
      };
      await run({ store: storeWith(fault, { now: () => now }), advance }).catch((error: unknown) =>
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
