import type { CreateOptions, ExecutionStore } from '@halyard/contracts';
import { checkEqual, checkFound } from '../check.ts';
import { notifiedAfter } from '../notified-after.ts';
import type { ExecutionStoreCase } from './execution-store-harness.ts';
import { sampleExecution, sampleSuspension } from './sample-records.ts';
import { leaseMs, takeOver, TestRunner } from './test-runner.ts';

const lease = { runner: 'a', leaseMs };
/** Much longer than a case takes. */
const minute = 60_000;

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

/** Claims due executions. */
async function claimNext(store: ExecutionStore, definition = 'orders', limit = 9): Promise<readonly TestRunner[]> {
  const next = await store.claimNext(lease, { definitions: { [definition]: definition }, limit });
  return next.claimed.map((one) => new TestRunner(store, one));
}

async function checkNext(store: ExecutionStore, ids: readonly string[], what: string): Promise<readonly TestRunner[]> {
  const runners = await claimNext(store);
  checkEqual(
    runners.map(({ id }) => id),
    ids,
    what,
  );
  return runners;
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
      checkEqual((await store.find('anyone', 'low'))?.priority, -1, 'The stored priority');
      for (const id of ['first', 'second', 'default', 'low']) {
        const [next] = await claimNext(store, 'orders', 1);
        checkEqual(next?.id, id, 'The next one');
      }
    },
  },
  {
    name: 'hands out the highest priority first also among executions that continue',
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
      await checkNext(store, ['died', 'answered', 'slept', 'new'], 'The order');
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
      const next = await store.claimNext(lease, { definitions: { orders: 'orders' }, limit: 9 });
      checkEqual([next.claimed, next.nextDueInMs], [[], undefined], 'What is due, and when the next one is');
      const waiting = checkFound(await store.find('anyone', 'three'), 'The execution that waits');
      checkEqual(
        [waiting.status, waiting.epoch, waiting.runner, waiting.concurrency, typeof waiting.waitingSince],
        ['running', 0, null, { key: 'eu', limit: 2 }, 'number'],
        'What is stored of it',
      );
      checkEqual((await store.find('anyone', 'one'))?.waitingSince, null, 'Whether a running one waits');
      checkEqual((await store.find('anyone', 'unlimited'))?.concurrency, null, 'The limit of one without a key');
      await advance(minute);
      await checkNext(store, [], 'What is due while all places are taken');
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
    name: 'makes as many waiting executions due as places are free: the highest priority first, then those that have waited longest',
    run: async ({ store, advance }) => {
      await create(store, ['running', 'also'], { limit: 2 });
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
      checkEqual(typeof (await store.find('anyone', 'urgent'))?.waitingSince, 'number', 'Whether it still waits');
      const [next] = await checkNext(store, ['urgent'], 'What is due when one has ended');
      checkEqual((await store.find('anyone', 'urgent'))?.waitingSince, null, 'Whether it waits when it runs');
      await next?.finish();
      await checkNext(store, ['early'], 'What is due when that one has ended');
      await checkNext(store, [], 'What is due in the end');
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
      checkEqual(await claimed(store, ['waiting']), [], 'A claim of the other, which was passed');
      await urgent.finish();
      const [waiting] = await checkNext(store, ['waiting'], 'What runs then');
      await waiting?.finish();
      await checkNext(store, ['new'], 'What runs in the end');
    },
  },
  {
    name: 'frees the place of an execution that is suspended, sleeps or is quarantined',
    run: async ({ store, advance }) => {
      await create(store, ['suspends', 'sleeps', 'dies', 'last']);
      const suspends = await takeOver(store, 'suspends');
      await claimed(store, ['sleeps', 'dies', 'last']);
      await suspends.suspend(sampleSuspension('s', 'a', { executionId: 'suspends' }));
      const [sleeps] = await checkNext(store, ['sleeps'], 'After a suspension');
      const { createdAt } = checkFound(await store.find('anyone', 'sleeps'), 'The execution');
      await sleeps?.rest(createdAt + 10 * leaseMs);
      await checkNext(store, ['dies'], 'After a sleep began');
      await advance(leaseMs);
      const suspension = sampleSuspension('q', 'a', { executionId: 'dies' });
      await store.quarantine('dies', { minClaims: 1, suspension, events: [] });
      await checkNext(store, ['last'], 'After a quarantine');
    },
  },
  {
    name: 'frees the place of an execution that is rewound or forgotten by its runner',
    run: async ({ store, advance }) => {
      await create(store, ['rewound', 'forgotten', 'last']);
      const rewound = await takeOver(store, 'rewound');
      await claimed(store, ['forgotten', 'last']);
      const at = { executionId: 'rewound', expectedSeq: rewound.seq, expectedSignals: 0, paths: ['a'], entries: [] };
      checkEqual(await store.rewind('anyone', at), 'rewound', 'The rewind');
      checkEqual(await claimed(store, ['forgotten']), ['forgotten'], 'What runs after a rewind');
      await advance(leaseMs / 2);
      await store.renew([{ executionId: 'forgotten', epoch: 1 }], lease);
      await advance(leaseMs / 2);
      await store.renew([], lease);
      checkEqual(await claimed(store, ['last']), ['last'], 'What runs when the runner does not name the other');
    },
  },
  {
    name: 'frees the place of a process that died when its lease has ended and another one asks, and lets its execution wait',
    run: async ({ store, advance }) => {
      await create(store, ['dies', 'waits']);
      await claimed(store, ['dies', 'waits']);
      await advance(leaseMs);
      const [waits] = await checkNext(store, ['waits'], 'What runs');
      checkEqual((await store.find('anyone', 'dies'))?.runner, null, 'The runner of the other');
      await waits?.finish();
      const [again] = await checkNext(store, ['dies'], 'What runs then');
      checkEqual(again?.epoch, 2, 'Its epoch');
    },
  },
  {
    name: 'frees the place of a process that died when its lease has ended and its execution is claimed by its id',
    run: async ({ store, advance }) => {
      await create(store, ['dies', 'waits']);
      await claimed(store, ['dies', 'waits']);
      await advance(leaseMs);
      checkEqual(await claimed(store, ['dies']), [], 'A claim while another one waits');
      await create(store, ['new']);
      checkEqual(await claimed(store, ['new']), [], 'A claim of a new one');
      for (const id of ['waits', 'dies', 'new']) {
        const [next] = await checkNext(store, [id], 'What runs then');
        await next?.finish();
      }
    },
  },
  {
    name: 'notifies those that watch for what is due when a termination, a rewind or a quarantine frees a place',
    run: async ({ store, advance }) => {
      const suspension = sampleSuspension('q', 'a', { executionId: 'quarantined' });
      const quarantine = { minClaims: 1, suspension, events: [] };
      const at = { executionId: 'rewound', expectedSeq: 0, expectedSignals: 0, paths: ['a'], entries: [] };
      const frees = [
        ['terminated', () => store.terminate('anyone', 'terminated', {})],
        ['rewound', () => store.rewind('anyone', { ...at, expectedSeq: sampleExecution('rewound').events.length })],
        ['quarantined', () => store.quarantine('quarantined', quarantine)],
      ] as const;
      for (const [id, free] of frees) {
        await create(store, [id, `after ${id}`], { key: id });
        await claimed(store, [id, `after ${id}`]);
        if (id === 'quarantined') await advance(leaseMs);
        const missed = `Those that watch for what is due should be notified when one is ${id}`;
        await notifiedAfter(free, missed, (onNotified) => store.watchDue(onNotified));
      }
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
      const [again] = await checkNext(store, ['asks'], 'What is due');
      checkEqual(again?.epoch, 2, 'Its epoch');
    },
  },
  {
    name: 'runs an execution with a request although no place is free',
    run: async ({ store }) => {
      await create(store, ['runs', 'waits', 'last']);
      const runs = await takeOver(store, 'runs');
      await claimed(store, ['waits', 'last']);
      await store.request('anyone', 'waits', { kind: 'cancel', reason: '' });
      const waits = await takeOver(store, 'waits');
      await waits.write({ changes: [{ status: 'cancelled' }], requestDone: true });
      await checkNext(store, [], 'What is due');
      await runs.finish();
      await checkNext(store, ['last'], 'What is due when the place is free');
    },
  },
  {
    name: 'lets executions that no process can run keep no place from those of other definitions',
    run: async ({ store }) => {
      await create(store, ['runs', 'old-1', 'old-2'], { definition: 'orders@1' });
      const runs = await takeOver(store, 'runs');
      await claimed(store, ['old-1', 'old-2']);
      await create(store, ['new']);
      await claimed(store, ['new']);
      await runs.finish();
      const [next] = await checkNext(store, ['new'], 'What runs when only the old ones were waiting for long');
      checkEqual((await claimNext(store, 'orders@1')).length, 0, 'How many of the old ones run beside it');
      await next?.finish();
      const old = await claimNext(store, 'orders@1');
      checkEqual(
        old.map(({ id }) => id),
        ['old-1'],
        'What runs when a process can run them',
      );
    },
  },
];
