import { beforeEach, expect, it } from 'vitest';
import { executionFields as fields } from '../testing/run-executions.ts';
import { InMemoryExecutionStore } from './in-memory-execution-store.ts';

const lease = { runner: 'here', leaseMs: 1_000_000 };

let now = 0;
let store: InMemoryExecutionStore;

beforeEach(() => {
  now = 1_000;
  store = new InMemoryExecutionStore({ now: () => now });
});

/** Starts an execution of which one may run at a time, and tries to claim it. */
async function start(id: string, { definition = 'order', priority = 0 } = {}): Promise<void> {
  const concurrency = { key: 'eu', limit: 1 };
  await store.create({ ...fields, id, events: [] }, { requestId: id, concurrency, definition, priority });
  await store.claim(id, lease);
  now += 1;
}

async function end(id: string): Promise<void> {
  const { epoch = 0, seq = 0 } = (await store.find('anyone', id)) ?? {};
  const changes = [{ id, status: 'completed', events: [] }] as const;
  const nothing = { entries: [], settled: [], suspensions: [], timers: [] };
  await store.commit({ executionId: id, creationId: id, epoch, commitId: id, expectedSeq: seq, changes, ...nothing });
}

async function claimNext(definition = 'order'): Promise<readonly string[]> {
  const { claimed } = await store.claimNext(lease, { definitions: { [definition]: definition }, limit: 9 });
  return claimed.map(({ execution }) => execution.id);
}

it('wakes the highest priority first, also when it began to wait first', async () => {
  await start('runs');
  await start('urgent', { priority: 3 });
  await start('usual', { priority: 1 });
  await start('low', { priority: -1 });
  await end('runs');
  for (const id of ['urgent', 'usual', 'low']) {
    expect(await claimNext()).toEqual([id]);
    await end(id);
  }
});

it('lets those wait again, with their turn, that were woken for a place that another definition has taken', async () => {
  for (const id of ['runs', 'first', 'second']) await start(id);
  await start('new', { definition: 'order@2' });
  await end('runs');
  expect(await claimNext('order@2')).toEqual(['new']);
  expect(await claimNext()).toEqual([]);
  expect((await store.find('anyone', 'first'))?.waitingSince).toBe(1_001);
  await end('new');
  expect(await claimNext()).toEqual(['first']);
});
