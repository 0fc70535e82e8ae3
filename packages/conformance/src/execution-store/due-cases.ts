import { check, checkEqual, checkFound } from '../check.ts';
import type { ExecutionStoreCase } from './execution-store-harness.ts';
import { orders, sampleExecution, sampleSuspension } from './sample-records.ts';
import { begin, leaseMs, takeOver } from './test-runner.ts';
import { dueCount, dueInMs } from './what-is-due.ts';

/** Much longer than a case takes. */
const minute = 60_000;

export const dueCases: readonly ExecutionStoreCase[] = [
  {
    name: 'counts what can be claimed of the given definitions, at most as many as requested, and tells how long the oldest has been due',
    run: async ({ store, advance }) => {
      checkEqual(await store.backlog(orders, 9), { count: 0, oldestDueMs: 0 }, 'What is due at first');
      const now = await timeOf(store);
      for (const minutes of [8, 1, 3]) await (await begin(store, { id: `in-${minutes}` })).rest(now + minutes * minute);
      await begin(store, { id: 'leased' });
      await (await begin(store, { id: 'waiting' })).suspend(sampleSuspension('s', 'a', { executionId: 'waiting' }));
      for (let index = 0; index < 12; index += 1)
        await store.create(sampleExecution(`other-${index}`, { workflowId: 'other' }), {
          requestId: 'r',
          priority: index % 2,
        });
      checkEqual(await dueCount(store), 0, 'How many are due before');
      await advance(5 * minute);
      const { count, oldestDueMs } = await store.backlog(orders, 9);
      check(
        count === 2 && oldestDueMs >= 4 * minute && oldestDueMs < 5 * minute,
        `Two should be due, the first for four minutes: ${count}, ${oldestDueMs}`,
      );
      checkEqual((await store.backlog(orders, 1)).count, 1, 'How many of one');
      checkEqual((await store.backlog(['orders', 'other'], 99)).count, 14, 'How many of two definitions');
      checkEqual((await store.backlog(['unknown'], 9)).count, 0, 'How many of an unknown one');
      checkEqual((await store.backlog([], 9)).count, 0, 'How many of none');
    },
  },
  {
    name: 'counts what lost runners had',
    run: async ({ store, advance }) => {
      for (const id of ['one', 'two']) await begin(store, { id });
      await advance(leaseMs + minute);
      const { count, oldestDueMs } = await store.backlog(orders, 9);
      checkEqual(count, 2, 'How many');
      check(oldestDueMs >= minute && oldestDueMs < 2 * minute, `It should be about a minute: ${oldestDueMs}`);
    },
  },
  {
    name: 'counts an execution as due since its release when it is released with a time that has passed',
    run: async ({ store, advance }) => {
      for (const [index, dueAt] of [0, (await timeOf(store)) - 5 * minute].entries())
        await (await begin(store, { id: `run-${index}` })).rest(dueAt);
      const { count, oldestDueMs } = await store.backlog(orders, 9);
      checkEqual(count, 2, 'How many');
      check(oldestDueMs < minute, `They should be due since their release: ${oldestDueMs}`);
      await advance(2 * minute);
      const later = await store.backlog(orders, 9);
      check(
        later.oldestDueMs >= 2 * minute && later.oldestDueMs < 3 * minute,
        `It should be about two minutes: ${later.oldestDueMs}`,
      );
    },
  },
  {
    name: 'returns the time until the next execution without a runner is due',
    run: async ({ store, advance }) => {
      const now = await timeOf(store);
      await begin(store, { id: 'leased' });
      checkEqual(await dueInMs(store), undefined, 'The time when one is leased');
      await (await begin(store, { id: 'late' })).rest(now + 8 * minute);
      await (await begin(store, { id: 'soon' })).rest(now + 5 * minute);
      await advance(2 * minute);
      const first = checkFound(await dueInMs(store), 'The time');
      check(first > minute && first <= 3 * minute, `It should be about three minutes: ${first}`);
      await advance(4 * minute);
      checkEqual(await dueInMs(store), 0, 'The time when one is overdue');
      await takeOver(store, 'soon');
      const next = checkFound(await dueInMs(store), 'The time');
      check(next > minute && next <= 2 * minute, `It should be about two minutes: ${next}`);
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
      checkEqual(await dueCount(store), 0, 'How many are due');
      await advance(leaseMs);
      checkEqual(await dueCount(store), 1, 'How many are due in the end');
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
