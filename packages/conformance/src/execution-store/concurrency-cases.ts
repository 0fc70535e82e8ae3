import type { CreateOptions, ExecutionStore } from '@halyard/contracts';
import { checkEqual, checkFound } from '../check.ts';
import type { ExecutionStoreCase } from './execution-store-harness.ts';
import { orders, sampleExecution, sampleSuspension } from './sample-records.ts';
import { leaseMs, takeOver } from './test-runner.ts';

const lease = { runner: 'a', leaseMs };
/** Longer than an admission lasts. */
const lapsedMs = 20_000;

async function create(
  store: ExecutionStore,
  ids: readonly string[],
  { key = 'eu', limit = 1, ...options }: Partial<CreateOptions> & { key?: string; limit?: number } = {},
): Promise<void> {
  for (const id of ids)
    await store.create(sampleExecution(id), { requestId: id, concurrency: { key, limit }, ...options });
}

/** The ids of those that could be claimed. */
async function claimed(store: ExecutionStore, ids: readonly string[]): Promise<readonly string[]> {
  const claims = [];
  for (const id of ids) claims.push((await store.claim(id, lease))?.execution.id);
  return claims.flatMap((id) => id ?? []);
}

function idsOf(due: readonly { readonly executionId: string }[]): readonly string[] {
  return due.map(({ executionId }) => executionId);
}

export const concurrencyCases: readonly ExecutionStoreCase[] = [
  {
    name: 'stores the priority of an execution, and hands out the highest priority first',
    run: async ({ store, advance }) => {
      for (const [id, priority] of [
        ['low', -1],
        ['first', 5],
        ['default', undefined],
        ['second', 5],
      ] as const) {
        await store.create(sampleExecution(id), { requestId: id, ...(priority !== undefined && { priority }) });
        await advance(1);
      }
      const due = await store.due(orders, 9);
      checkEqual(idsOf(due), ['first', 'second', 'default', 'low'], 'The order');
      checkEqual(
        due.map(({ priority }) => priority),
        [5, 5, 0, -1],
        'The priorities',
      );
      checkEqual(idsOf(await store.due(orders, 1)), ['first'], 'The first');
      checkEqual((await store.find('anyone', 'low'))?.priority, -1, 'The stored priority');
    },
  },
  {
    name: 'hands out the highest priority first also among executions that continue, and to a runner with a share',
    run: async ({ store, advance }) => {
      for (const [id, priority] of [
        ['new', 0],
        ['slept', 1],
        ['answered', 2],
        ['died', 3],
      ] as const)
        await store.create(sampleExecution(id), { requestId: id, priority });
      const slept = await takeOver(store, 'slept');
      const { createdAt } = checkFound(await store.find('anyone', 'slept'), 'The execution');
      await slept.rest(createdAt + 1);
      const answered = await takeOver(store, 'answered');
      await answered.suspend(sampleSuspension('s', 'a', { executionId: 'answered' }));
      await takeOver(store, 'died');
      await advance(leaseMs);
      await store.resume('anyone', { executionId: 'answered', suspensionId: 's', data: true, requestId: 'r' });
      await advance(1_000);
      const inOrder = ['died', 'answered', 'slept', 'new'];
      checkEqual(idsOf(await store.due(orders, 9)), inOrder, 'The order');
      checkEqual(idsOf(await store.due(orders, 2)), ['died', 'answered'], 'The first two');
      await store.renew([], { runner: 'b', leaseMs });
      checkEqual(idsOf(await store.due(orders, 9, 'b')), inOrder, 'The order for the only runner');
    },
  },
  {
    name: 'runs at most as many executions of a key at the same time as its limit, and the others wait without being due',
    run: async ({ store, advance }) => {
      await create(store, ['one', 'two', 'three'], { limit: 2 });
      await create(store, ['other'], { key: 'us' });
      await store.create(sampleExecution('unlimited'), { requestId: 'r' });
      checkEqual(
        await claimed(store, ['one', 'two', 'three', 'other', 'unlimited']),
        ['one', 'two', 'other', 'unlimited'],
        'What runs',
      );
      checkEqual(idsOf(await store.due(orders, 9)), [], 'What is due');
      checkEqual(await store.nextDue(orders), undefined, 'When the next one is due');
      const waiting = checkFound(await store.find('anyone', 'three'), 'The execution that waits');
      checkEqual(
        [waiting.status, waiting.epoch, waiting.runner, waiting.concurrency, typeof waiting.waitingSince],
        ['running', 0, null, { key: 'eu', limit: 2 }, 'number'],
        'What is stored of it',
      );
      checkEqual((await store.find('anyone', 'one'))?.waitingSince, null, 'Whether a running one waits');
      checkEqual((await store.find('anyone', 'unlimited'))?.concurrency, null, 'The limit of one without a key');
      await advance(lapsedMs);
      checkEqual(await store.admit(['eu', 'us', 'unknown']), [], 'What is admitted while all places are taken');
    },
  },
  {
    name: 'lets no more executions of a key run than its limit when they are claimed at the same time',
    run: async ({ store }) => {
      const ids = Array.from({ length: 12 }, (_, index) => `run-${index}`);
      await create(store, ids, { limit: 3 });
      const claims = await Promise.all(ids.map((id) => store.claim(id, lease)));
      checkEqual(claims.filter((claim) => claim !== undefined).length, 3, 'How many run');
      const waiting = await Promise.all(ids.map((id) => store.find('anyone', id)));
      checkEqual(waiting.filter((one) => one?.waitingSince !== null).length, 9, 'How many wait');
    },
  },
  {
    name: 'admits as many waiting executions as places are free: the highest priority first, then those that have waited longest',
    run: async ({ store, advance }) => {
      await create(store, ['running'], { limit: 2 });
      await create(store, ['also'], { limit: 2 });
      const runner = await takeOver(store, 'running');
      await claimed(store, ['also']);
      for (const [id, priority] of [
        ['late', 0],
        ['urgent', 3],
        ['early', 0],
      ] as const)
        await create(store, [id], { limit: 2, priority });
      for (const id of ['early', 'late', 'urgent']) {
        await claimed(store, [id]);
        await advance(1);
      }
      await runner.finish();
      checkEqual(
        await store.admit(['eu']),
        [{ executionId: 'urgent', workflowId: 'orders', priority: 3, claimsWithoutCommit: 0, userId: null }],
        'The first admission',
      );
      checkEqual(idsOf(await store.due(orders, 9)), ['urgent'], 'What is due');
      checkEqual(await store.admit(['eu']), [], 'A second admission while the first is not used');
      const next = await takeOver(store, 'urgent');
      checkEqual((await store.find('anyone', 'urgent'))?.waitingSince, null, 'Whether it still waits');
      await next.finish();
      checkEqual(idsOf(await store.admit(['eu'])), ['early'], 'The next admission');
    },
  },
  {
    name: 'lets no new execution of a key pass one that waits, unless its priority is higher',
    run: async ({ store }) => {
      await create(store, ['running', 'waiting']);
      const runner = await takeOver(store, 'running');
      await claimed(store, ['waiting']);
      await runner.finish();
      await create(store, ['new']);
      await create(store, ['urgent'], { priority: 1 });
      checkEqual(await claimed(store, ['new']), [], 'A claim of a new one');
      const urgent = await takeOver(store, 'urgent');
      await urgent.finish();
      checkEqual(idsOf(await store.admit(['eu'])), ['waiting'], 'What is admitted');
      checkEqual(await claimed(store, ['new', 'waiting']), ['waiting'], 'What runs then');
    },
  },
  {
    name: 'frees the place of an execution that is suspended, sleeps or is quarantined',
    run: async ({ store, advance }) => {
      await create(store, ['suspends', 'sleeps', 'dies', 'last']);
      const suspends = await takeOver(store, 'suspends');
      await claimed(store, ['sleeps', 'dies', 'last']);
      await suspends.suspend(sampleSuspension('s', 'a', { executionId: 'suspends' }));
      checkEqual(idsOf(await store.admit(['eu'])), ['sleeps'], 'After a suspension');
      const sleeps = await takeOver(store, 'sleeps');
      const { createdAt } = checkFound(await store.find('anyone', 'sleeps'), 'The execution');
      await sleeps.rest(createdAt + 10 * leaseMs);
      checkEqual(idsOf(await store.admit(['eu'])), ['dies'], 'After a sleep began');
      await takeOver(store, 'dies');
      await advance(leaseMs);
      const suspension = sampleSuspension('q', 'a', { executionId: 'dies' });
      await store.quarantine('dies', { minClaims: 1, suspension, events: [] });
      checkEqual(idsOf(await store.admit(['eu'])), ['last'], 'After a quarantine');
    },
  },
  {
    name: 'frees the place of a process that died when its lease ends, and lets its execution wait for another one',
    run: async ({ store, advance }) => {
      await create(store, ['dies', 'waits']);
      await claimed(store, ['dies', 'waits']);
      await advance(leaseMs);
      checkEqual(idsOf(await store.admit(['eu'])), ['waits'], 'What is admitted');
      checkEqual(await claimed(store, ['dies']), [], 'A claim of the other while the admission lasts');
      checkEqual((await store.find('anyone', 'dies'))?.runner, null, 'Its runner');
      const waits = await takeOver(store, 'waits');
      await waits.finish();
      checkEqual(idsOf(await store.admit(['eu'])), ['dies'], 'What is admitted then');
      const again = checkFound(await store.claim('dies', lease), 'The claim');
      checkEqual([again.execution.epoch, again.claimsWithoutCommit], [2, 2], 'Its epoch and claims');
    },
  },
  {
    name: 'lets a suspended execution wait for a place when it is answered',
    run: async ({ store }) => {
      await create(store, ['asks', 'runs']);
      const asks = await takeOver(store, 'asks');
      await asks.suspend(sampleSuspension('s', 'a', { executionId: 'asks' }));
      const runs = await takeOver(store, 'runs');
      await store.resume('anyone', { executionId: 'asks', suspensionId: 's', data: true, requestId: 'r' });
      checkEqual(await claimed(store, ['asks']), [], 'A claim');
      checkEqual((await store.find('anyone', 'asks'))?.status, 'running', 'Its status');
      await runs.finish();
      checkEqual(idsOf(await store.admit(['eu'])), ['asks'], 'What is admitted');
      checkEqual((await takeOver(store, 'asks')).epoch, 2, 'Its epoch');
    },
  },
  {
    name: 'runs an execution with a request although no place is free',
    run: async ({ store }) => {
      await create(store, ['runs', 'waits']);
      await claimed(store, ['runs', 'waits']);
      await store.request('anyone', 'waits', { kind: 'cancel', reason: '' });
      const waits = await takeOver(store, 'waits');
      await waits.write({ changes: [{ status: 'cancelled' }], requestDone: true });
      checkEqual(await store.admit(['eu']), [], 'What is admitted');
    },
  },
  {
    name: 'forgets an admission that no process uses for 10 seconds',
    run: async ({ store, advance }) => {
      await create(store, ['runs', 'first', 'second']);
      const runs = await takeOver(store, 'runs');
      await claimed(store, ['first', 'second']);
      await runs.finish();
      checkEqual(idsOf(await store.admit(['eu'])), ['first'], 'The first admission');
      await advance(lapsedMs);
      checkEqual(idsOf(await store.admit(['eu'])), ['second'], 'The second admission');
      checkEqual(await claimed(store, ['second', 'first']), ['second'], 'What runs');
      checkEqual(idsOf(await store.due(orders, 9)), [], 'What is due');
    },
  },
  {
    name: 'lists the keys for which executions wait',
    run: async ({ store }) => {
      for (const key of ['c', 'a', 'b', 'free']) await create(store, [`runs-${key}`, `waits-${key}`], { key });
      const runner = await takeOver(store, 'runs-b');
      for (const key of ['c', 'a', 'b']) await claimed(store, [`runs-${key}`, `waits-${key}`]);
      checkEqual(await store.waitingKeys('', 9), ['a', 'b', 'c'], 'All keys');
      checkEqual(await store.waitingKeys('', 2), ['a', 'b'], 'The first two');
      checkEqual(await store.waitingKeys('b', 2), ['c'], 'Those after b');
      await runner.finish();
      await store.admit(['b']);
      checkEqual(await store.waitingKeys('', 9), ['a', 'c'], 'Without the key that was admitted');
    },
  },
];
