import type { DueExecution } from '@halyard/contracts';
import { check, checkEqual, checkFound } from '../check.ts';
import type { ExecutionStoreCase } from './execution-store-harness.ts';
import { orders, sampleExecution, sampleSuspension } from './sample-records.ts';
import { begin, leaseMs, takeOver } from './test-runner.ts';
import { withoutDueAt } from './without-due-at.ts';

/** Much longer than a case takes. */
const minute = 60_000;

/** What is due of `orders`, without a claim since its last commit. */
function due(executionId: string): DueExecution {
  return { executionId, workflowId: 'orders', priority: 0, claimsWithoutCommit: 0, userId: null };
}

export const dueCases: readonly ExecutionStoreCase[] = [
  {
    name: 'finds sleeping executions and expired leases, the longest due first, at most as many as requested',
    run: async ({ store, advance }) => {
      const now = await timeOf(store);
      for (const [id, minutes] of [
        ['fourth', 4],
        ['first', 1],
        ['third', 3],
        ['later', 9],
      ] as const) {
        await (await begin(store, { id })).rest(now + minutes * minute);
      }
      await store.create(sampleExecution('second'), { requestId: 'r' });
      await store.claim('second', { runner: 'lost', leaseMs: 2 * minute });
      await begin(store, { id: 'leased' });
      await (await begin(store, { id: 'waiting' })).suspend(sampleSuspension('s', 'a', { executionId: 'waiting' }));

      checkEqual(await store.due(orders, 9), [], 'What is due at first');
      await advance(2.5 * minute);
      const ids = async (limit: number): Promise<unknown> =>
        (await store.due(orders, limit)).map(({ executionId }) => executionId);
      checkEqual(await ids(9), ['first', 'second'], 'What is due after two and a half minutes');
      await advance(2.5 * minute);
      checkEqual(await ids(9), ['first', 'second', 'third', 'fourth'], 'What is due after five minutes');
      checkEqual(await ids(3), ['first', 'second', 'third'], 'The three that are due longest');
      checkEqual(withoutDueAt(await store.due(orders, 1)), [due('first')], 'The fields of each');
      checkEqual(await ids(9), ['first', 'second', 'third', 'fourth'], 'What is due, asked again');
      await takeOver(store, 'first');
      checkEqual(await ids(9), ['second', 'third', 'fourth'], 'What is due when the first is taken');
    },
  },
  {
    name: 'finds due executions of the requested workflows among many of others',
    run: async ({ store, advance }) => {
      for (let index = 0; index < 12; index += 1) {
        await store.create(sampleExecution(`other-${index}`, { workflowId: 'other' }), { requestId: 'r' });
      }
      await begin(store, { id: 'lost', workflowId: 'third' });
      await advance(leaseMs);
      await store.create(sampleExecution('run'), { requestId: 'r' });
      checkEqual(withoutDueAt(await store.due(orders, 3)), [due('run')], 'What is due of one');
      checkEqual(
        withoutDueAt(await store.due(['orders', 'third'], 3)),
        [{ executionId: 'lost', workflowId: 'third', priority: 0, claimsWithoutCommit: 1, userId: null }, due('run')],
        'What is due of two',
      );
      checkEqual((await store.due(['other'], 99)).length, 12, 'The number due of another');
      checkEqual(await store.due(['unknown'], 3), [], 'What is due of an unknown one');
      checkEqual(await store.due([], 3), [], 'What is due of none');
    },
  },
  {
    name: 'lets users take turns when more is due than a read returns, however much one of them has',
    run: async ({ advance, store }) => {
      const create = async (ids: readonly string[], values: Parameters<typeof sampleExecution>[1]): Promise<void> => {
        await Promise.all(ids.map((id) => store.create(sampleExecution(id, values), { requestId: id })));
      };
      await create(
        Array.from({ length: 1_100 }, (_, index) => `many-${index}`),
        { userId: 'eve' },
      );
      await create(['one', 'two', 'three'], { userId: 'ada' });
      await create(['none'], {});
      const others = ['none', 'one', 'three', 'two'];
      await store.renew([], { runner: 'a', leaseMs });
      for (const runner of [undefined, 'a']) {
        const first = await store.due(orders, 1_000, runner);
        const found = first.map(({ executionId }) => executionId).filter((id) => others.includes(id));
        checkEqual([first.length, found.toSorted()], [1_000, others], 'What is returned at first');
        const users = (await store.due(orders, 4, runner)).map(({ userId }) => String(userId));
        checkEqual(users.toSorted(), ['ada', 'eve', 'eve', 'null'], 'The users of the first four');
      }
      checkEqual((await store.due(orders, 2_000)).length, 1_104, 'The number without a limit');
      await begin(store, { id: 'lost', userId: 'ben' });
      await advance(leaseMs);
      const ids = (await store.due(orders, 1_000)).map(({ executionId }) => executionId);
      checkEqual(ids.at(-1), 'lost', 'The last one when a runner is lost');
    },
  },
  {
    name: 'returns since when each execution can be claimed',
    run: async ({ store, advance }) => {
      const now = await timeOf(store);
      await (await begin(store, { id: 'asleep' })).rest(now + minute);
      await store.create(sampleExecution('lost'), { requestId: 'r' });
      const { now: claimedAt } = checkFound(
        await store.claim('lost', { runner: 'lost', leaseMs: 2 * minute }),
        'The claim',
      );
      await advance(2 * minute);
      await store.create(sampleExecution('new'), { requestId: 'r' });
      const { createdAt } = checkFound(await store.find('anyone', 'new'), 'The new execution');
      const times = { asleep: now + minute, lost: claimedAt + 2 * minute, new: createdAt };
      const overdue = await store.due(orders, 9);
      checkEqual(Object.fromEntries(overdue.map(({ dueAt, executionId }) => [executionId, dueAt])), times, 'The times');
    },
  },
  {
    name: 'returns the time until the next execution without a runner is due',
    run: async ({ store, advance }) => {
      checkEqual(await store.nextDue(orders), undefined, 'The time when there is none');
      const now = await timeOf(store);
      await begin(store, { id: 'leased' });
      checkEqual(await store.nextDue(orders), undefined, 'The time when one is leased');
      await (await begin(store, { id: 'late' })).rest(now + 8 * minute);
      await (await begin(store, { id: 'soon' })).rest(now + 5 * minute);
      const first = checkFound(await store.nextDue(orders), 'The time');
      check(first > 4 * minute && first <= 5 * minute, `It should be about five minutes: ${first}`);
      await advance(2 * minute);
      const second = checkFound(await store.nextDue(orders), 'The time');
      check(second > minute && second <= 3 * minute, `It should be about three minutes: ${second}`);
      await advance(4 * minute);
      checkEqual(await store.nextDue(orders), 0, 'The time when one is overdue');
      await takeOver(store, 'soon');
      const third = checkFound(await store.nextDue(orders), 'The time');
      check(third > minute && third <= 2 * minute, `It should be about two minutes: ${third}`);
    },
  },
  {
    name: 'returns that time for the given workflows only',
    run: async ({ store }) => {
      const now = await timeOf(store);
      await store.create(sampleExecution('overdue', { workflowId: 'other' }), { requestId: 'r' });
      checkEqual(await store.nextDue(orders), undefined, 'The time of a workflow without executions');
      await (await begin(store, { id: 'asleep' })).rest(now + 5 * minute);
      const waitMs = checkFound(await store.nextDue(orders), 'The time');
      check(waitMs > 4 * minute, `It should be about five minutes: ${waitMs}`);
      checkEqual(await store.nextDue(['unknown', 'other', 'orders']), 0, 'The time of several workflows');
      checkEqual(await store.nextDue([]), undefined, 'The time of none');
    },
  },
  {
    name: 'updates the due time when an execution is claimed, resumed, suspended or ended',
    run: async ({ store, advance }) => {
      const now = await timeOf(store);
      for (const id of ['asleep', 'suspended', 'ended']) await (await begin(store, { id })).rest(now + minute);
      await advance(minute);
      await (await takeOver(store, 'suspended')).suspend(sampleSuspension('s', 'a', { executionId: 'suspended' }));
      await (await takeOver(store, 'ended')).finish();
      await (await takeOver(store, 'asleep')).rest(now + leaseMs);
      checkEqual(await store.due(orders, 9), [], 'What is due');
      await advance(leaseMs);
      checkEqual(withoutDueAt(await store.due(orders, 9)), [due('asleep')], 'What is due in the end');
    },
  },
  {
    name: 'shares what is due among the runners with a lease, and what a busy one leaves',
    run: async ({ store, advance }) => {
      const ids = Array.from({ length: 24 }, (_, index) => `run-${index}`);
      // At once: a share holds for the first tenth of a second.
      await Promise.all(ids.map((id) => store.create(sampleExecution(id), { requestId: id })));
      const dueFor = async (runner?: string, limit = 99): Promise<readonly string[]> =>
        (await store.due(orders, limit, runner)).map(({ executionId }) => executionId);
      checkEqual((await dueFor('a')).length, 24, 'The number for a runner without a lease');
      await store.renew([], { runner: 'a', leaseMs });
      checkEqual((await dueFor('a')).length, 24, 'The number for the only runner');
      await store.renew([], { runner: 'b', leaseMs });
      await store.renew([], { runner: 'c', leaseMs: leaseMs / 2 });
      checkEqual((await dueFor('a')).length, 24, 'The number while the others have not asked');
      for (const runner of ['b', 'c']) await store.due(orders, 1, runner);
      const shares = await Promise.all(['a', 'b', 'c'].map((runner) => dueFor(runner)));
      const sizes = shares.map((share) => share.length);
      check(Math.min(...sizes) > 0 && Math.max(...sizes) <= 16, `The shares should be about equal: ${sizes.join()}`);
      checkEqual(shares.flat().toSorted(), ids.toSorted(), 'What they contain');
      checkEqual((await dueFor()).length, 24, 'The number without a runner');
      await advance(100);
      checkEqual(await dueFor('a', 3), shares[0]?.slice(0, 3), 'The first of a share');
      for (const id of shares[0] ?? []) await store.claim(id, { runner: 'a', leaseMs });
      const others = [...(shares[1] ?? []), ...(shares[2] ?? [])];
      checkEqual((await dueFor('a')).toSorted(), others.toSorted(), 'What is due for a runner whose share is empty');
      await advance(leaseMs / 2);
      await store.create(sampleExecution('new'), { requestId: 'new' });
      const having = await Promise.all(['a', 'b'].map(async (runner) => (await dueFor(runner)).includes('new')));
      checkEqual(having.filter(Boolean).length, 1, 'How many of the others have a new one');
    },
  },
  {
    name: 'shares the executions of a definition only among the runners that have asked for it',
    run: async ({ store, advance }) => {
      const shared = Array.from({ length: 24 }, (_, index) => `run-${index}`);
      const newer = Array.from({ length: 12 }, (_, index) => `new-${index}`);
      const known = { old: orders, new: [...orders, 'newer'] };
      for (const runner of ['old', 'new'] as const) {
        await store.renew([], { runner, leaseMs });
        await store.due(known[runner], 1, runner);
      }
      const dueFor = async (runner: keyof typeof known): Promise<readonly string[]> =>
        (await store.due(known[runner], 99, runner)).map(({ executionId }) => executionId);
      // At once: a share holds for the first tenth of a second.
      await Promise.all([
        ...shared.map((id) => store.create(sampleExecution(id), { requestId: id })),
        ...newer.map((id) => store.create(sampleExecution(id, { workflowId: 'newer' }), { requestId: id })),
      ]);
      const [ofOld, ofNew] = [await dueFor('old'), await dueFor('new')];
      check(
        ofOld.length > 0 && ofOld.length < 24,
        `The first should have a part of what both can run: ${ofOld.length}`,
      );
      checkEqual([...ofOld, ...ofNew].toSorted(), [...shared, ...newer].toSorted(), 'What both have');
      known.new = ['newer'];
      checkEqual((await dueFor('new')).toSorted(), newer.toSorted(), 'What the second has with other definitions');
      checkEqual((await dueFor('old')).toSorted(), shared.toSorted(), 'What the first then has');
      await store.renew([], { runner: 'new', leaseMs: 2 * leaseMs });
      for (const id of newer) await store.claim(id, { runner: 'new', leaseMs: leaseMs / 2 });
      await advance(leaseMs);
      known.old = ['newer'];
      checkEqual(await dueFor('old'), [], 'What another runner has while the lease lasts');
      await advance(leaseMs);
      checkEqual((await dueFor('old')).toSorted(), newer.toSorted(), 'What it has when the runner is lost');
    },
  },
  {
    name: 'leaves nothing to a busy runner while others have new work only',
    run: async ({ store, advance }) => {
      for (const runner of ['busy', 'idle']) {
        await store.renew([], { runner, leaseMs });
        await store.due(orders, 1, runner);
      }
      const ids = (name: string): readonly string[] => Array.from({ length: 24 }, (_, index) => `${name}-${index}`);
      const dueForIdle = async (): Promise<readonly string[]> =>
        (await store.due(orders, 99, 'idle')).map(({ executionId }) => executionId);
      // At once: a share holds for the first tenth of a second.
      const create = (name: string): Promise<unknown> =>
        Promise.all(ids(name).map((id) => store.create(sampleExecution(id), { requestId: id })));
      await create('early');
      const own = await dueForIdle();
      const others = ids('early').filter((id) => !own.includes(id));
      for (const id of own) await store.claim(id, { runner: 'idle', leaseMs });
      await advance(100);
      await create('late');
      const found = await dueForIdle();
      check(found.length > others.length, 'It should also have new work');
      checkEqual(found.filter((id) => id.startsWith('early')).toSorted(), others.toSorted(), 'What the busy one left');
    },
  },
  {
    name: 'leaves nothing to a runner that died a moment ago, also when there is other work',
    run: async ({ store, advance }) => {
      const ids = Array.from({ length: 24 }, (_, index) => `run-${index}`);
      for (const id of ids) await begin(store, { id });
      await advance(leaseMs / 2);
      for (const runner of ['dead', 'alive']) {
        await store.renew([], { runner, leaseMs });
        await store.due(orders, 1, runner);
      }
      await advance(leaseMs / 2 + 100);
      const found = (await store.due(orders, 99, 'alive')).map(({ executionId }) => executionId);
      checkEqual(found.toSorted(), ids.toSorted(), 'What is due');
    },
  },
];

/** The store's time, read from an execution that is created for it and deleted. */
async function timeOf(store: Parameters<typeof begin>[0]): Promise<number> {
  const runner = await begin(store, { id: 'clock' });
  const { createdAt } = checkFound(await store.find('anyone', 'clock'), 'The execution');
  await runner.finish();
  return createdAt;
}
