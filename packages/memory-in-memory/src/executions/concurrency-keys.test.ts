import { beforeEach, expect, it } from 'vitest';
import { executionFields as fields } from '../testing/run-executions.ts';
import { InMemoryExecutionStore } from './in-memory-execution-store.ts';

/** Longer than an admission lasts. */
const lapsedMs = 10_000;

let now = 0;
let store: InMemoryExecutionStore;

beforeEach(() => {
  now = 1_000;
  store = new InMemoryExecutionStore({ now: () => now });
});

/** Starts an execution of which one may run at a time, and tries to claim it. */
async function start(id: string, priority = 0): Promise<void> {
  const concurrency = { key: 'eu', limit: 1 };
  await store.create({ ...fields, id, events: [] }, { requestId: id, concurrency, priority });
  await claim(id);
}

async function claim(id: string): Promise<void> {
  await store.claim(id, { runner: 'here', leaseMs: 1_000_000 });
  now += 1;
}

async function end(id: string): Promise<void> {
  const { epoch = 0, seq = 0 } = (await store.find('anyone', id)) ?? {};
  const changes = [{ id, status: 'completed', events: [] }] as const;
  const nothing = { entries: [], settled: [], suspensions: [], timers: [] };
  await store.commit({ executionId: id, creationId: id, epoch, commitId: id, expectedSeq: seq, changes, ...nothing });
}

async function admitted(): Promise<readonly string[]> {
  return (await store.admit(['eu'])).map(({ executionId }) => executionId);
}

it('admits the highest priority first, also when it began to wait first', async () => {
  await start('runs');
  await start('urgent', 3);
  await start('usual', 1);
  await start('low', -1);
  await end('runs');
  for (const id of ['urgent', 'usual', 'low']) {
    expect(await admitted()).toEqual([id]);
    await claim(id);
    await end(id);
  }
});

it('keeps the place of an execution that nobody claimed while it was admitted', async () => {
  for (const id of ['runs', 'first', 'second', 'third']) await start(id);
  await end('runs');
  expect(await admitted()).toEqual(['first']);
  now += lapsedMs;
  expect(await admitted()).toEqual(['second']);
  await claim('second');
  await claim('first');
  await end('second');
  expect(await admitted()).toEqual(['first']);
});

it('ends an admission after 10 seconds, and not before', async () => {
  for (const id of ['runs', 'first', 'second']) await start(id);
  await end('runs');
  expect(await admitted()).toEqual(['first']);
  now += lapsedMs - 1;
  expect(await admitted()).toEqual([]);
  now += 1;
  expect(await admitted()).toEqual(['second']);
});
