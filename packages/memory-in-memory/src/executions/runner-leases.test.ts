import { beforeEach, expect, it } from 'vitest';
import { executionFields as fields } from '../testing/run-executions.ts';
import { InMemoryExecutionStore } from './in-memory-execution-store.ts';
import { RunnerLeases } from './runner-leases.ts';

let now = 0;
let store: InMemoryExecutionStore;

beforeEach(() => {
  now = 1_000;
  store = new InMemoryExecutionStore({ now: () => now });
});

it('shares among the runners whose lease has not ended', () => {
  const leases = new RunnerLeases({ now: () => now });
  const shareOf = (runner: string) => leases.sharesOf(runner, new Set(['order']))('order');
  leases.extend('here', 1_000, now);
  leases.extend('there', 500, now);
  expect(shareOf('here')).toEqual({ index: 0, count: 1 });
  now += 499;
  expect(shareOf('there')).toEqual({ index: 1, count: 2 });
  expect(shareOf('here')).toEqual({ index: 0, count: 2 });
  now += 1;
  expect(shareOf('here')).toEqual({ index: 0, count: 1 });
  expect(shareOf('there')).toEqual({ index: 0, count: 1 });
});

it('leaves what is due to the runner whose share it is, for a tenth of a second', async () => {
  for (const runner of ['here', 'there']) await store.renew([], { runner, leaseMs: 10_000 });
  await store.create({ ...fields, id: 'run', events: [] }, { requestId: 'run' });
  const { definition: own } = (await store.find('anyone', 'run')) ?? { definition: '' };
  const due = async (runner?: string): Promise<number> => (await store.due([own], 10, runner)).length;
  for (const runner of ['here', 'there']) await due(runner);

  const shares = [await due('here'), await due('there')];
  expect(new Set(shares)).toEqual(new Set([0, 1]));
  expect(await due()).toBe(1);
  now += 99;
  expect([await due('here'), await due('there')]).toEqual(shares);
  now += 1;
  expect([await due('here'), await due('there')]).toEqual([1, 1]);
});

it('reports an execution as lost that another runner has claimed, and one that is unknown', async () => {
  await store.create({ ...fields, id: 'run', events: [] }, { requestId: 'run' });
  await store.claim('run', { runner: 'here', leaseMs: 100 });
  now += 100;
  await store.claim('run', { runner: 'there', leaseMs: 1_000 });
  const held = [
    { executionId: 'run', epoch: 1 },
    { executionId: 'unknown', epoch: 1 },
  ];
  expect(await store.renew(held, { runner: 'here', leaseMs: 1_000 })).toEqual(['run', 'unknown']);
  expect(await store.renew([{ executionId: 'run', epoch: 2 }], { runner: 'there', leaseMs: 1_000 })).toEqual([]);
});

it('reports an earlier claim of the same runner as lost, and takes back the later one that the runner does not know', async () => {
  const rewind = { executionId: 'run', expectedSeq: 0, expectedSignals: 0, paths: [], entries: [] };
  const lease = { runner: 'here', leaseMs: 1_000 };
  const earlier = [{ executionId: 'run', epoch: 1 }];
  await store.create({ ...fields, id: 'run', events: [] }, { requestId: 'run' });
  await store.claim('run', lease);
  await store.rewind('anyone', rewind);
  await store.claim('run', lease);

  now += 999;
  expect(await store.renew(earlier, lease)).toEqual(['run']);
  expect(await store.find('anyone', 'run')).toMatchObject({ runner: 'here', epoch: 3 });
  now += 1;
  expect(await store.renew(earlier, lease)).toEqual(['run']);
  expect(await store.find('anyone', 'run')).toMatchObject({ runner: null });
  expect(await store.claim('run', { runner: 'there', leaseMs: 1_000 })).toMatchObject({ execution: { epoch: 4 } });
});

it('gives a runner the overdue executions of another share only when its own has none, but always those that a runner has lost', async () => {
  const due = async (runner: string): Promise<readonly string[]> =>
    (await store.due(['order'], 10, runner)).map(({ executionId }) => executionId);
  for (const id of ['lost-1', 'lost-2']) {
    await store.create({ ...fields, id, events: [] }, { requestId: id });
    await store.claim(id, { runner: 'gone', leaseMs: 500 });
  }
  now += 500;
  for (const runner of ['here', 'there']) await store.renew([], { runner, leaseMs: 10_000 });
  for (const runner of ['here', 'there']) await due(runner);
  for (const id of ['new-1', 'new-2']) await store.create({ ...fields, id, events: [] }, { requestId: id });

  now += 99;
  const [ofHere, ofThere] = [await due('here'), await due('there')];
  expect([ofHere.length, ofThere.length]).toEqual([2, 2]);
  expect([...ofHere, ...ofThere].toSorted()).toEqual(['lost-1', 'lost-2', 'new-1', 'new-2']);
  now += 1;
  for (const [runner, own] of [
    ['here', ofHere],
    ['there', ofThere],
  ] as const)
    expect((await due(runner)).toSorted()).toEqual([...new Set([...own, 'lost-1', 'lost-2'])].toSorted());
});

it('tells who watches an execution of each commit and each signal', async () => {
  const changes: string[] = [];
  store.watch('run', (change) => changes.push(change));
  await store.create({ ...fields, id: 'run', events: [] }, { requestId: 'run' });
  await store.claim('run', { runner: 'here', leaseMs: 1_000 });
  await store.request('anyone', 'run', { kind: 'cancel', reason: 'test' });
  expect(changes).toEqual(['commit', 'commit', 'signal']);
});
