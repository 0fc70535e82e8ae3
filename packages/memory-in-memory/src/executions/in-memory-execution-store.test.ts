import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { ExecutionChange, JsonValue, NewExecution } from '@halyard/contracts';
import { expect, it } from 'vitest';
import { InMemoryExecutionStore, type InMemoryExecutionStoreOptions } from './in-memory-execution-store.ts';

const lease = { runner: 'a', leaseMs: 10_000 };
const everyRoot = { parentExecutionId: null, limit: 50, offset: 0 };

it('limits the number of finished executions, and deletes those that ended first with all their data', async () => {
  const store = storeWith({ maxFinished: 2 });
  for (const id of ['a', 'b', 'c', 'd']) await create(store, id, { userId: `user of ${id}`, workflowId: `of ${id}` });
  for (const id of ['c', 'a', 'd', 'b']) await finish(store, id, { children: 2 });

  expect((await store.list('anyone', everyRoot)).executions.map(({ id }) => id)).toEqual(['d', 'b']);
  expect(store.size).toBe(6);
  for (const id of ['c', 'a']) {
    expect(await store.find('anyone', id)).toBeUndefined();
    expect(await store.find('anyone', `${id}-child-0`)).toBeUndefined();
    expect(await store.journal('anyone', id)).toEqual([]);
    expect((await store.list('anyone', { ...everyRoot, userId: `user of ${id}` })).total).toBe(0);
    expect((await store.list('anyone', { ...everyRoot, workflowId: `of ${id}` })).total).toBe(0);
  }
});

it('limits the bytes of finished executions', async () => {
  const store = storeWith({ maxFinishedBytes: 100_000 });
  for (let index = 0; index < 20; index += 1) {
    await create(store, `run-${index}`);
    await finish(store, `run-${index}`, { output: 'x'.repeat(10_000) });
  }
  const { executions } = await store.list('anyone', everyRoot);
  expect(executions.length).toBeGreaterThan(2);
  expect(executions.length).toBeLessThan(10);
  expect(executions[0]?.id).toBe('run-19');
});

it('keeps the execution that ended last, however large it is', async () => {
  const store = storeWith({ maxFinishedBytes: 1_000 });
  for (const id of ['a', 'b']) await create(store, id);
  for (const id of ['a', 'b']) {
    await finish(store, id, { output: 'x'.repeat(10_000) });
    expect((await store.find('anyone', id))?.status).toBe('completed');
  }
  expect(store.size).toBe(1);
});

it('never deletes executions that are running, suspended or rewound', async () => {
  const store = storeWith({ maxFinished: 1 });
  for (const id of ['new', 'rewound', 'last']) await create(store, id);
  await finish(store, 'rewound');
  const rewind = { executionId: 'rewound', expectedSeq: 1, expectedSignals: 0, paths: ['a'], entries: [] };
  expect(await store.rewind('anyone', rewind)).toBe('rewound');
  await finish(store, 'last');
  expect((await store.list('anyone', everyRoot)).executions.map(({ id }) => id)).toEqual(['last', 'rewound', 'new']);

  await finish(store, 'rewound');
  expect((await store.list('anyone', everyRoot)).executions.map(({ id }) => id)).toEqual(['rewound', 'new']);
});

it('notifies watchers of signals only for requests from outside', async () => {
  const store = storeWith({});
  const changes: string[] = [];
  store.watch('run', (change) => changes.push(change));
  await create(store, 'run');
  await store.request('anyone', 'run', { kind: 'suspend', reason: 'wait' });
  await finish(store, 'run');
  expect(changes).toEqual(['commit', 'signal', 'commit', 'commit']);
});

it(
  'uses less than 2.5 kB for each of 10 000 suspended executions, with their own data, and sets no timer',
  { timeout: 60_000 },
  async () => {
    const store = storeWith({});
    await suspendMany(store, 'warm', 100);
    const [bytes, timers] = [heapUsed(), activeTimers()];
    await suspendMany(store, 'run', 10_000);
    expect((heapUsed() - bytes) / 10_000).toBeLessThan(2_500);
    expect(activeTimers()).toBe(timers);
    expect(await store.nextDue(['orders'])).toBeUndefined();
  },
);

it('uses no more memory after 60 000 executions have ended than after 20 000', { timeout: 60_000 }, async () => {
  const store = storeWith({ maxFinished: 1_000 });
  await runMany(store, 0, 20_000);
  const before = heapUsed();
  await runMany(store, 20_000, 60_000);
  expect(heapUsed() - before).toBeLessThan(1_000_000);
  expect(store.size).toBe(1_000);
});

function storeWith(options: InMemoryExecutionStoreOptions): InMemoryExecutionStore {
  return new InMemoryExecutionStore({ now: () => 1_000 }, options);
}

async function create(store: InMemoryExecutionStore, id: string, values: Partial<NewExecution> = {}): Promise<void> {
  const execution: NewExecution = {
    id,
    workflowId: 'orders',
    workflowName: 'Orders',
    input: { amount: 1 },
    context: {},
    workflowState: {},
    metadata: {},
    events: [{ type: 'workflow-start', from: 'orders', timestamp: '2026-01-01T00:00:00.000Z' }],
    ...values,
  };
  expect(await store.create(execution, { requestId: id })).toBe('created');
}

async function finish(
  store: InMemoryExecutionStore,
  id: string,
  { output = null, children = 0 }: { readonly output?: JsonValue; readonly children?: number } = {},
): Promise<void> {
  const created = { workflowId: 'w', workflowName: 'W', input: null, context: {}, workflowState: {}, metadata: {} };
  const begun = Array.from({ length: children }, (_, index): ExecutionChange => ({
    id: `${id}-child-${index}`,
    created: { ...created, parentExecutionId: id, path: `sub:${index}` },
    events: [],
  }));
  await commit(store, id, { changes: [{ id, status: 'completed', output, events: [] }, ...begun] });
}

async function commit(
  store: InMemoryExecutionStore,
  id: string,
  parts: Partial<Parameters<InMemoryExecutionStore['commit']>[0]>,
): Promise<void> {
  const claimed = await store.claim(id, lease);
  const { epoch = 0, seq = 0 } = claimed?.execution ?? {};
  const outcome = await store.commit({
    executionId: id,
    epoch,
    commitId: `commit-${epoch}`,
    expectedSeq: seq,
    entries: [{ path: 'a', type: 'step', status: 'success', output: null, attempts: 1, startedAt: 1, endedAt: 2 }],
    changes: [],
    settled: [],
    suspensions: [],
    timers: [],
    ...parts,
  });
  expect(outcome.status).toBe('committed');
}

async function runMany(store: InMemoryExecutionStore, from: number, to: number): Promise<void> {
  for (let index = from; index < to; index += 1) {
    await create(store, `run-${index}`, { userId: `user-${index % 100}` });
    await finish(store, `run-${index}`, { output: { index } });
  }
}

async function suspendMany(store: InMemoryExecutionStore, name: string, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const id = `${name}-${index}`;
    await create(store, id, { userId: `user-${index % 100}` });
    const waiting = { path: 'b', stepId: 'b', stepIndex: 1, executionId: id, kind: 'step', reason: 'waits' } as const;
    await commit(store, id, {
      changes: [{ id, status: 'suspended', events: [] }],
      suspensions: [{ ...waiting, id: `${id}-s`, suspendedAt: 1_000 }],
      release: { dueAt: null, expectedSignals: 0 },
    });
  }
}

function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  return process.memoryUsage().heapUsed;
}

function activeTimers(): number {
  return process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
}
