import type { ExecutionStore, NextExecutions } from '@halyard/contracts';
import { check, checkEqual, checkFound } from '../check.ts';
import type { ExecutionStoreCase, ExecutionStoreHarness } from './execution-store-harness.ts';
import { sampleEntry, sampleExecution, sampleSuspension } from './sample-records.ts';
import { begin, leaseMs, takeOver, TestRunner } from './test-runner.ts';

/** Much longer than a case takes. */
const minute = 60_000;
const lease = { runner: 'a', leaseMs };
const definitions = { orders: 'orders' };

type Values = Parameters<typeof sampleExecution>[1] & Partial<Parameters<ExecutionStore['create']>[1]>;

async function create(store: ExecutionStore, ids: readonly string[], values: Values = {}): Promise<void> {
  const { concurrency, definition, dueInMs, priority, ...execution } = values;
  const options = { concurrency, definition, dueInMs, priority };
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  for (const id of ids) await store.create(sampleExecution(id, execution), { requestId: id, ...given });
}

function idsOf({ claimed }: NextExecutions): readonly string[] {
  return claimed.map(({ execution }) => execution.id);
}

async function claimIds(store: ExecutionStore, limit: number, runner = 'a'): Promise<readonly string[]> {
  return idsOf(await store.claimNext({ runner, leaseMs }, { definitions, limit }));
}

export const claimNextCases: readonly ExecutionStoreCase[] = [
  {
    name: 'claims what is due, the highest priority first, then what has been due longest, at most as many as requested',
    run: async ({ store, advance }) => {
      for (const [id, priority, minutes] of [
        ['fourth', 0, 4],
        ['second', 0, 1],
        ['third', 0, 3],
        ['first', 2, 4],
        ['last', -1, 1],
        ['later', 9, 9],
      ] as const)
        await create(store, [id], { priority, dueInMs: minutes * minute });
      await (await begin(store, { id: 'suspended' })).suspend(sampleSuspension('s', 'a', { executionId: 'suspended' }));
      await begin(store, { id: 'leased' });
      checkEqual(await claimIds(store, 9), [], 'What is claimed at first');
      await advance(5 * minute);
      checkEqual(await claimIds(store, 3), ['first', 'second', 'third'], 'The first three');
      checkEqual(await claimIds(store, 9), ['fourth', 'last'], 'The others');
      checkEqual(await claimIds(store, 9), [], 'What is claimed once more');
      checkEqual((await store.find('anyone', 'first'))?.runner, 'a', 'The runner');
    },
  },
  {
    name: 'returns everything that a runner needs with each of the next executions',
    run: async ({ store }) => {
      const first = await begin(store);
      await first.write({ entries: [sampleEntry('a')] });
      await first.rest(0);
      await create(store, ['other']);
      const next = await store.claimNext(lease, { definitions, limit: 5 });
      const [run, other] = next.claimed;
      checkEqual(idsOf(next), ['run', 'other'], 'What is claimed');
      checkEqual(run?.journal, [sampleEntry('a')], 'The journal');
      checkEqual([run?.execution.epoch, run?.execution.status], [first.epoch + 1, 'running'], 'What is stored');
      checkEqual(
        [other?.journal, other?.children, other?.claimsWithoutCommit],
        [[], [], 1],
        'What belongs to the other',
      );
      await new TestRunner(store, checkFound(run, 'The claim')).finish();
      checkEqual((await store.commit(first.commitOf())).status, 'fenced', 'A commit of the runner before');
    },
  },
  {
    name: 'lets users take turns: the position among what is due of the user, plus what this runner runs of the user',
    run: async ({ store }) => {
      await create(store, ['e1', 'e2', 'e3', 'e4', 'e5', 'e6'], { userId: 'eve' });
      await create(store, ['a1', 'a2', 'a3', 'a4'], { userId: 'ada' });
      await create(store, ['n1', 'n2']);
      checkEqual(await claimIds(store, 4), ['e1', 'a1', 'n1', 'e2'], 'The first four');
      checkEqual(await claimIds(store, 1), ['a2'], 'The next, when eve runs two and the others one');
      checkEqual(await claimIds(store, 2, 'b'), ['e3', 'a3'], 'The next two of another runner');
      await create(store, ['urgent'], { userId: 'eve', priority: 1 });
      checkEqual(await claimIds(store, 2), ['urgent', 'n2'], 'One with a higher priority, then the turns');
      checkEqual((await claimIds(store, 9)).toSorted(), ['a4', 'e4', 'e5', 'e6'], 'The rest');
    },
  },
  {
    name: 'claims the first execution of one user before the second of another, however many that one has',
    run: async ({ store }) => {
      const many = Array.from({ length: 1_100 }, (_, index) => `many-${index}`);
      await Promise.all(many.map((id) => store.create(sampleExecution(id, { userId: 'eve' }), { requestId: id })));
      await create(store, ['one', 'two'], { userId: 'ada' });
      await create(store, ['none']);
      const first = await store.claimNext(lease, { definitions, limit: 4 });
      const users = first.claimed.map(({ execution }) => String(execution.userId));
      checkEqual(users.toSorted(), ['ada', 'eve', 'eve', 'undefined'], 'The users of the first four');
      const others = new Set(await claimIds(store, 300));
      checkEqual([others.size, others.has('two')], [300, true], 'The next 300');
    },
  },
  {
    name: 'gives each execution to one of several processes that claim at the same time, and leaves none',
    run: async ({ store }) => {
      const ids = Array.from({ length: 60 }, (_, index) => `run-${index}`);
      await Promise.all(ids.map((id) => store.create(sampleExecution(id), { requestId: id })));
      const runners = ['a', 'b', 'c', 'd'];
      const all: string[] = [];
      for (let left = ids.length; left > 0;) {
        const rounds = await Promise.all(runners.map((runner) => claimIds(store, 4, runner)));
        const found = rounds.flat();
        check(found.length > 0, `${left} executions are due, and nobody claims one`);
        all.push(...found);
        left -= found.length;
      }
      checkEqual(all.toSorted(), ids.toSorted(), 'What was claimed');
    },
  },
  {
    name: 'claims no more executions of a concurrency key than its limit, also at the same time, and lets the others wait',
    run: async ({ store }) => {
      const concurrency = { key: 'eu', limit: 3 };
      await create(
        store,
        Array.from({ length: 12 }, (_, index) => `run-${index}`),
        { concurrency },
      );
      await create(store, ['other'], { concurrency: { key: 'us', limit: 1 } });
      await create(store, ['free']);
      const found: string[] = [];
      for (let round = 0; round < 4; round += 1) {
        const rounds = await Promise.all(['a', 'b', 'c', 'd'].map((runner) => claimIds(store, 5, runner)));
        found.push(...rounds.flat());
      }
      checkEqual(found.filter((id) => id.startsWith('run-')).length, 3, 'How many with the key run');
      checkEqual(found.filter((id) => !id.startsWith('run-')).toSorted(), ['free', 'other'], 'What else runs');
      const waiting = await Promise.all(
        Array.from({ length: 12 }, async (_, index) => store.find('anyone', `run-${index}`)),
      );
      checkEqual(waiting.filter((one) => one?.waitingSince !== null).length, 9, 'How many wait');
      const { nextDueInMs } = await store.claimNext(lease, { definitions, limit: 5 });
      checkEqual(nextDueInMs, undefined, 'When the next one is due');
    },
  },
  {
    name: 'claims an execution with a request although its concurrency key has no place',
    run: async ({ store }) => {
      await create(store, ['runs', 'waits'], { concurrency: { key: 'eu', limit: 1 } });
      checkEqual(await claimIds(store, 9), ['runs'], 'What runs');
      await store.request('anyone', 'waits', { kind: 'cancel', reason: '' });
      checkEqual(await claimIds(store, 9), ['waits'], 'What runs after the request');
    },
  },
  {
    name: 'claims executions with the given definitions only, and replaces each with the one that follows it',
    run: async ({ store }) => {
      for (let index = 0; index < 12; index += 1) await create(store, [`other-${index}`], { workflowId: 'other' });
      await create(store, ['old'], { definition: 'orders@1' });
      await create(store, ['new'], { definition: 'orders@2' });
      const next = async (map: Readonly<Record<string, string>>): Promise<readonly unknown[]> => {
        const { claimed: all } = await store.claimNext(lease, { definitions: map, limit: 2 });
        return all.map(({ execution }) => [execution.id, execution.definition]);
      };
      checkEqual(await next({}), [], 'Without definitions');
      checkEqual(await next({ orders: 'orders', 'orders@3': 'orders@3' }), [], 'With others');
      const map = { 'orders@1': 'orders@2', 'orders@2': 'orders@2' };
      checkEqual(
        await next(map),
        [
          ['old', 'orders@2'],
          ['new', 'orders@2'],
        ],
        'With both',
      );
      checkEqual((await next({ other: 'other' })).length, 2, 'How many of the other workflow');
    },
  },
  {
    name: 'returns the time until another execution is due, and nothing when there is none',
    run: async ({ store, advance }) => {
      const next = async (limit = 9): Promise<number | undefined> =>
        (await store.claimNext(lease, { definitions, limit })).nextDueInMs;
      checkEqual(await next(), undefined, 'When there is none');
      await create(store, ['other'], { workflowId: 'other' });
      checkEqual(await next(), undefined, 'When there are only others');
      await create(store, ['late'], { dueInMs: 8 * minute, priority: 3 });
      await create(store, ['soon'], { dueInMs: 5 * minute });
      const first = checkFound(await next(), 'The time');
      check(first > 4 * minute && first <= 5 * minute, `It should be about five minutes: ${first}`);
      await advance(6 * minute);
      await create(store, ['now']);
      checkEqual(await next(1), 0, 'When another one is due now');
      checkEqual(await next(1), 0, 'When as many as requested were claimed');
      const last = checkFound(await next(), 'The time');
      check(last > minute && last <= 2 * minute, `It should be about two minutes: ${last}`);
    },
  },
  {
    name: 'extends the lease of the runner with the executions that it claims, and begins none for nothing',
    run: async ({ store, advance }) => {
      checkEqual(await claimIds(store, 9), [], 'What is claimed at first');
      checkEqual((await store.runners?.()) ?? [], [], 'The runners');
      await create(store, ['first']);
      checkEqual(await claimIds(store, 9), ['first'], 'What is claimed');
      await advance(leaseMs / 2);
      await create(store, ['second']);
      checkEqual(await claimIds(store, 9), ['second'], 'What is claimed half a lease later');
      await advance(leaseMs / 2);
      checkEqual(await claimIds(store, 9, 'b'), [], 'What another runner claims when the first lease is over');
      await advance(leaseMs / 2);
      checkEqual((await claimIds(store, 9, 'b')).toSorted(), ['first', 'second'], 'What it claims when both are over');
      checkEqual(await store.claim('first', lease), undefined, 'A claim of the first');
      checkEqual((await takeOverAfter(store, advance)).epoch, 3, 'The epoch in the end');
    },
  },
];

async function takeOverAfter(store: ExecutionStore, advance: ExecutionStoreHarness['advance']): Promise<TestRunner> {
  await advance(leaseMs);
  return takeOver(store, 'first');
}
