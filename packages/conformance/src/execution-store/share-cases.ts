import type { ExecutionStore, NextExecutions } from '@halyard/contracts';
import { check, checkEqual, checkFound } from '../check.ts';
import type { ExecutionStoreCase } from './execution-store-harness.ts';
import { sampleExecution } from './sample-records.ts';
import { leaseMs, TestRunner } from './test-runner.ts';

/** Much longer than a case takes. */
const minute = 60_000;

interface Values {
  readonly userId?: string;
  readonly subject?: string;
  readonly priority?: number;
  readonly dueInMs?: number;
}

async function create(store: ExecutionStore, name: string, count: number, values: Values = {}): Promise<void> {
  const { userId, ...options } = values;
  for (let index = 1; index <= count; index += 1) {
    const id = `${name}-${index}`;
    await store.create(sampleExecution(id, userId === undefined ? {} : { userId }), { requestId: id, ...options });
  }
}

async function claimNext(store: ExecutionStore, freeSlots: number, runner = 'a'): Promise<NextExecutions> {
  return store.claimNext({ runner, leaseMs }, { definitions: { orders: 'orders' }, limit: freeSlots, freeSlots });
}

function idsOf({ claimed }: NextExecutions): readonly string[] {
  return claimed.map(({ execution }) => execution.id);
}

export const shareCases: readonly ExecutionStoreCase[] = [
  {
    name: 'claims executions of a subject while no more of them run than slots are free',
    run: async ({ store }) => {
      await create(store, 'eve', 9, { userId: 'eve' });
      const first = await claimNext(store, 6);
      checkEqual(idsOf(first), ['eve-1', 'eve-2', 'eve-3', 'eve-4'], 'What is claimed for six slots');
      checkEqual(first.hasLeftOut, true, 'Whether others are left out');
      const [ended] = first.claimed;
      checkEqual(idsOf(await claimNext(store, 2)), [], 'What is claimed for the other two');
      await create(store, 'ada', 2, { userId: 'ada' });
      checkEqual(idsOf(await claimNext(store, 1)), ['ada-1'], 'What is claimed of another subject');
      await create(store, 'own', 1);
      checkEqual(idsOf(await claimNext(store, 1)), ['own-1'], 'What is claimed without a subject');
      await new TestRunner(store, checkFound(ended, 'The first claim')).finish();
      checkEqual(idsOf(await claimNext(store, 1)), ['ada-2'], 'What is claimed when one has ended');
      checkEqual(idsOf(await claimNext(store, 6, 'b')).length, 4, 'How many another runner claims');
    },
  },
  {
    name: 'lets executions without a subject take all slots, and shares them only when it is told how many are free',
    run: async ({ store }) => {
      await create(store, 'own', 4);
      const own = await claimNext(store, 4);
      checkEqual([idsOf(own).length, own.hasLeftOut], [4, false], 'Without a subject');
      await create(store, 'eve', 4, { userId: 'eve' });
      const options = { definitions: { orders: 'orders' }, limit: 4 };
      checkEqual(idsOf(await store.claimNext({ runner: 'b', leaseMs }, options)).length, 4, 'Without a number');
    },
  },
  {
    name: 'lets no subject have more than its share by a higher priority, however many executions it has',
    run: async ({ store }) => {
      await create(store, 'eve', 150, { userId: 'eve', priority: 5 });
      await create(store, 'ada', 1, { userId: 'ada' });
      const next = await claimNext(store, 3);
      checkEqual(idsOf(next), ['eve-1', 'eve-2', 'ada-1'], 'What is claimed for three slots');
      checkEqual(idsOf(await claimNext(store, 1)), [], 'What is claimed for one more');
    },
  },
  {
    name: 'takes the user for the subject, unless the execution was created on behalf of another one',
    run: async ({ store }) => {
      await create(store, 'user', 1, { userId: 'eve' });
      await create(store, 'address', 3, { userId: 'mallory', subject: 'address:192.0.2.1' });
      await create(store, 'also', 2, { subject: 'address:192.0.2.1' });
      const next = await claimNext(store, 4);
      const subjects = next.claimed.map(({ execution, subject }) => [execution.id, subject]);
      const address = 'address:192.0.2.1';
      checkEqual(
        subjects,
        [
          ['user-1', 'user:eve'],
          ['address-1', address],
          ['address-2', address],
        ],
        'What is claimed, and on whose behalf',
      );
      const one = await store.claim('also-1', { runner: 'a', leaseMs });
      checkEqual(one?.subject, address, 'On whose behalf another one runs');
      const full = await store.create(sampleExecution('more'), { requestId: 'more', subject: address, maxWaiting: 2 });
      checkEqual(full, 'full', 'One more when as many wait as may');
    },
  },
  {
    name: 'returns the time until another execution is due without those that are left out',
    run: async ({ store }) => {
      await create(store, 'eve', 70, { userId: 'eve' });
      const first = await claimNext(store, 2);
      checkEqual([idsOf(first).length, first.nextDueInMs], [2, 0], 'When as many as requested were claimed');
      const second = await claimNext(store, 1);
      checkEqual([second.nextDueInMs, second.hasLeftOut], [undefined, true], 'When the others are left out');
      await create(store, 'later', 1, { userId: 'eve', dueInMs: 5 * minute });
      const dueInMs = checkFound((await claimNext(store, 1)).nextDueInMs, 'The time');
      check(dueInMs > 4 * minute && dueInMs <= 5 * minute, `It should be about five minutes: ${dueInMs}`);
    },
  },
];
