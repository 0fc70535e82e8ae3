import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it, onTestFinished, vi } from 'vitest';
import { commit, create, finish, storeWith } from '../testing/run-executions.ts';
import type { InMemoryExecutionStore } from './in-memory-execution-store.ts';

it('uses less than 2.5 kB for each of 10 000 suspended executions, with their own data, and sets no timer', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const store = storeWith({});
  await suspendMany(store, 'warm', 100);
  const bytes = heapUsed();
  await suspendMany(store, 'run', 10_000);
  expect((heapUsed() - bytes) / 10_000).toBeLessThan(2_500);
  expect(vi.getTimerCount()).toBe(0);
  expect((await store.backlog(['orders'], 9)).count).toBe(0);
});

it('uses no more memory after 60 000 executions have ended than after 20 000', async () => {
  const store = storeWith({ maxFinished: 1_000 });
  await runMany(store, 0, 20_000);
  const before = heapUsed();
  await runMany(store, 20_000, 60_000);
  expect(heapUsed() - before).toBeLessThan(1_000_000);
  expect(store.size).toBe(1_000);
});

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
