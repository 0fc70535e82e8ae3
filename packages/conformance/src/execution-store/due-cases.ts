import type { DueExecution } from '@halyard/contracts';
import { check, checkEqual, checkFound } from '../check.ts';
import type { ExecutionStoreCase } from './execution-store-harness.ts';
import { orders, sampleExecution, sampleSuspension } from './sample-records.ts';
import { begin, leaseMs, takeOver } from './test-runner.ts';

/** Much longer than a case takes. */
const minute = 60_000;

/** What is due of `orders`, without a claim since its last commit. */
function due(executionId: string): DueExecution {
  return { executionId, workflowId: 'orders', priority: 0, claimsWithoutCommit: 0 };
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
      checkEqual(await store.due(orders, 1), [due('first')], 'The fields of each');
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
      checkEqual(await store.due(orders, 3), [due('run')], 'What is due of one');
      checkEqual(
        await store.due(['orders', 'third'], 3),
        [{ executionId: 'lost', workflowId: 'third', priority: 0, claimsWithoutCommit: 1 }, due('run')],
        'What is due of two',
      );
      checkEqual((await store.due(['other'], 99)).length, 12, 'The number due of another');
      checkEqual(await store.due(['unknown'], 3), [], 'What is due of an unknown one');
      checkEqual(await store.due([], 3), [], 'What is due of none');
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
      checkEqual(await store.due(orders, 9), [due('asleep')], 'What is due in the end');
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
