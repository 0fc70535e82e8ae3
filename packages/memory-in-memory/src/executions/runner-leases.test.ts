import { beforeEach, expect, it } from 'vitest';
import { executionFields as fields } from '../testing/run-executions.ts';
import { InMemoryExecutionStore } from './in-memory-execution-store.ts';

let now = 0;
let store: InMemoryExecutionStore;

beforeEach(() => {
  now = 1_000;
  store = new InMemoryExecutionStore({ now: () => now });
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

it('tells who watches an execution of each commit and each signal', async () => {
  const changes: string[] = [];
  store.watch('run', (change) => changes.push(change));
  await store.create({ ...fields, id: 'run', events: [] }, { requestId: 'run' });
  await store.claim('run', { runner: 'here', leaseMs: 1_000 });
  await store.request('anyone', 'run', { kind: 'cancel', reason: 'test' });
  expect(changes).toEqual(['commit', 'commit', 'signal']);
});
