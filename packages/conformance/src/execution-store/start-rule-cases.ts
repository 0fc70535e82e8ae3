import type { CreateOptions, ExecutionStore } from '@halyard/contracts';
import { check, checkEqual, checkFound } from '../check.ts';
import type { ExecutionStoreCase } from './execution-store-harness.ts';
import { sampleExecution, sampleSuspension } from './sample-records.ts';
import { takeOver } from './test-runner.ts';
import { dueCount, dueInMs } from './what-is-due.ts';

/** Much longer than a case takes. */
const minute = 60_000;

async function create(
  store: ExecutionStore,
  id: string,
  options: Partial<CreateOptions>,
): ReturnType<ExecutionStore['create']> {
  return store.create(sampleExecution(id), { requestId: id, ...options });
}

/** In how many minutes the next execution is due. */
async function nextDueInMinutes(store: ExecutionStore): Promise<number> {
  return Math.round(checkFound(await dueInMs(store), 'When the next execution is due') / minute);
}

const skip = { singleton: { key: 'k', onBusy: 'skip' } } as const;
const cancelRunning = { singleton: { key: 'k', onBusy: 'cancel-running' } } as const;

export const startRuleCases: readonly ExecutionStoreCase[] = [
  {
    name: 'skips a start while an execution with its singleton key has not ended, whatever that one does',
    run: async ({ store }) => {
      checkEqual(await create(store, 'first', skip), 'created', 'The first start');
      checkEqual(await create(store, 'second', skip), 'skipped', 'A start while the first is due');
      checkEqual(await create(store, 'first', skip), 'created', 'The first start again');
      const runner = await takeOver(store, 'first');
      checkEqual(await create(store, 'second', skip), 'skipped', 'A start while the first runs');
      await runner.suspend(sampleSuspension('s', 'a', { executionId: 'first' }));
      checkEqual(await create(store, 'second', skip), 'skipped', 'A start while the first is suspended');
      checkEqual(await store.find('anyone', 'second'), undefined, 'What was stored of it');
      const other = { singleton: { key: 'other', onBusy: 'skip' } } as const;
      checkEqual(await create(store, 'other', other), 'created', 'A start with another key');
      checkEqual(await create(store, 'free', {}), 'created', 'A start without a key');

      await store.resume('anyone', { executionId: 'first', suspensionId: 's', data: 1, requestId: 'r' });
      await (await takeOver(store, 'first')).finish();
      checkEqual(await create(store, 'second', skip), 'created', 'A start after the first has ended');
      checkEqual(await create(store, 'third', skip), 'skipped', 'The next start');
    },
  },
  {
    name: 'skips a start while an execution with its singleton key that had ended runs again after a rewind',
    run: async ({ store }) => {
      await create(store, 'first', skip);
      const runner = await takeOver(store, 'first');
      await runner.finish();
      const rewind = {
        executionId: 'first',
        expectedSeq: runner.seq,
        expectedSignals: runner.signals,
        paths: ['a'],
        entries: [],
      };
      checkEqual(await store.rewind('anyone', rewind), 'rewound', 'The rewind');
      checkEqual(await create(store, 'second', skip), 'skipped', 'A start after the rewind');
      await (await takeOver(store, 'first')).finish();
      checkEqual(await create(store, 'second', skip), 'created', 'A start after the first has ended again');
    },
  },
  {
    name: 'creates one of several executions with the same singleton key that are started at the same time',
    run: async ({ store }) => {
      const ids = Array.from({ length: 8 }, (_, index) => `run-${index}`);
      const outcomes = await Promise.all(ids.map((id) => create(store, id, skip)));
      checkEqual(
        [outcomes.filter((one) => one === 'created').length, outcomes.filter((one) => one === 'skipped').length],
        [1, 7],
        'How many were created and skipped',
      );
    },
  },
  {
    name: 'requests the cancellation of older executions with the same singleton key, once',
    run: async ({ store }) => {
      for (const id of ['ended', 'running', 'waiting']) await create(store, id, cancelRunning);
      await (await takeOver(store, 'ended')).finish();
      await takeOver(store, 'running');
      await create(store, 'other', { singleton: { key: 'other', onBusy: 'cancel-running' } });
      checkEqual(await create(store, 'new', cancelRunning), 'created', 'The start');
      await create(store, 'newer', cancelRunning);

      const jobs = ['running', 'waiting'].map((executionId) => ({ executionId, workflowId: 'orders' }));
      checkEqual(await store.supersede('new', 'replaced'), jobs, 'What is cancelled');
      checkEqual(await store.supersede('new', 'replaced'), [], 'What is cancelled by a second call');
      checkEqual(await store.supersede('unknown', 'replaced'), [], 'What an unknown execution replaces');
      const rows = await Promise.all(
        ['ended', 'running', 'waiting', 'other', 'new', 'newer'].map((id) => store.find('anyone', id)),
      );
      const cancel = { kind: 'cancel', reason: 'replaced' };
      checkEqual(
        rows.map((row) => row?.request),
        [null, cancel, cancel, null, null, null],
        'The requests',
      );
      checkEqual(
        rows.map((row) => row?.signals),
        [0, 1, 1, 0, 0, 0],
        'The signals',
      );
    },
  },
  {
    name: 'delays starts so that no more than the limit of a throttle are due within its period',
    run: async ({ store, advance }) => {
      const throttle = { throttle: { key: 'k', limit: 2, periodMs: 10 * minute } };
      await create(store, 'first', throttle);
      await advance(4 * minute);
      for (const id of ['second', 'third', 'fourth', 'fifth']) await create(store, id, throttle);
      await create(store, 'other', { throttle: { key: 'other', limit: 1, periodMs: 10 * minute } });
      checkEqual(await dueCount(store), 3, 'How many are due at once');
      for (const id of ['first', 'second', 'other']) await (await takeOver(store, id)).finish();

      const waits: number[] = [];
      for (const id of ['third', 'fourth', 'fifth']) {
        waits.push(await nextDueInMinutes(store));
        await advance(checkFound(await dueInMs(store), 'The wait') + 1_000);
        await (await takeOver(store, id)).finish();
      }
      checkEqual(waits, [6, 4, 6], 'How long the others wait, one after the other');
    },
  },
  {
    name: 'delays a start by its debounce, but not for longer than allowed after the first that has not been claimed',
    run: async ({ store, advance }) => {
      const debounce = { debounce: { key: 'k', delayMs: 10 * minute, maxDelayMs: 15 * minute } };
      await create(store, 'first', debounce);
      checkEqual(await nextDueInMinutes(store), 10, 'When the first is due');
      await advance(8 * minute);
      await create(store, 'second', debounce);
      checkEqual(
        await store.supersede('second', 'replaced'),
        [{ executionId: 'first', workflowId: 'orders' }],
        'What it replaces',
      );
      const first = await takeOver(store, 'first');
      await first.write({ changes: [{ status: 'cancelled' }] });
      checkEqual(await nextDueInMinutes(store), 7, 'When the second is due');
      await advance(8 * minute);
      await takeOver(store, 'second');

      await create(store, 'third', debounce);
      checkEqual(await store.supersede('third', 'replaced'), [], 'What is replaced of those that have started');
      checkEqual(await nextDueInMinutes(store), 10, 'When the third is due');
    },
  },
  {
    name: 'keeps the start of a debounce for the next execution, also when an earlier one is being cancelled',
    run: async ({ store, advance }) => {
      const debounce = { debounce: { key: 'k', delayMs: 10 * minute, maxDelayMs: 15 * minute } };
      await create(store, 'first', debounce);
      await advance(8 * minute);
      await create(store, 'second', debounce);
      await store.supersede('second', 'replaced');
      await (await takeOver(store, 'first')).write({ changes: [{ status: 'cancelled' }] });
      await advance(6 * minute);
      await create(store, 'third', debounce);
      await store.supersede('third', 'replaced');
      await (await takeOver(store, 'second')).write({ changes: [{ status: 'cancelled' }] });
      const dueInMinutes = await nextDueInMinutes(store);
      check(dueInMinutes <= 1, `The third should be due within a minute, but is due in ${dueInMinutes}`);
    },
  },
];
