import { expect, it } from 'vitest';
import { InMemoryStreamStore, type InMemoryStreamStoreOptions } from './in-memory-stream-store.ts';

const leaseMs = 10_000;

it('loses a live stream that is too long, after which its conversation can begin another', async () => {
  const store = openStore({ maxBytesPerStream: 2_000 });
  await begin(store, 'a');
  expect(await store.append('a', { after: 0, chunks: ['x'.repeat(1_000)] }, leaseMs)).toBe('appended');
  expect(await store.append('a', { after: 1, chunks: ['x'.repeat(1_000)] }, leaseMs)).toBe('lost');

  expect(await store.read('a', { after: 0, limit: 9 })).toEqual({ chunks: [], status: 'lost' });
  expect(await store.end('a', { after: 2, chunks: [] })).toBe(false);
  expect(await begin(store, 'b', 'a')).toEqual({ kind: 'begun' });
});

it('loses a stream that its last chunks make too long', async () => {
  const store = openStore({ maxBytesPerStream: 2_000 });
  await begin(store, 'a');
  expect(await store.end('a', { after: 0, chunks: ['x'.repeat(2_000)] })).toBe(false);
  expect(await store.read('a', { after: 0, limit: 9 })).toEqual({ chunks: [], status: 'lost' });
});

it('deletes the streams that ended first when there are too many', async () => {
  const store = openStore({ maxStreams: 3 });
  for (const id of ['live', 'a', 'b', 'c']) {
    await begin(store, id);
    expect(store.size).toBeLessThanOrEqual(3);
    if (id !== 'live') await store.end(id, { after: 0, chunks: [id] });
  }
  expect(store.size).toBe(3);
  expect(await statuses(store, ['live', 'a', 'b', 'c'])).toEqual(['live', undefined, 'ended', 'ended']);
});

it('deletes ended streams before it loses the oldest live one when they are too large', async () => {
  const store = openStore({ maxBytes: 5_000 });
  for (const id of ['a', 'b', 'c']) {
    await begin(store, id);
    await store.append(id, { after: 0, chunks: ['x'.repeat(1_000)] }, leaseMs);
  }
  await store.end('b', { after: 1, chunks: [] });

  expect(await store.append('c', { after: 1, chunks: ['x'.repeat(1_500)] }, leaseMs)).toBe('appended');
  expect(await statuses(store, ['a', 'b', 'c'])).toEqual(['live', undefined, 'live']);

  expect(await store.append('c', { after: 2, chunks: ['x'.repeat(1_500)] }, leaseMs)).toBe('appended');
  expect(await statuses(store, ['a', 'b', 'c'])).toEqual(['lost', undefined, 'live']);

  expect(await store.append('c', { after: 3, chunks: ['x'.repeat(9_000)] }, leaseMs)).toBe('lost');
});

it('has the same capacity after streams were lost, discarded, purged and deleted with their user', async () => {
  const store = openStore({ maxBytes: 5_000, maxBytesPerStream: 3_000 });
  const append = (id: string, length: number) => store.append(id, { after: 0, chunks: ['x'.repeat(length)] }, leaseMs);
  for (let round = 0; round < 10; round += 1) {
    await begin(store, 'too long');
    expect(await append('too long', 4_000)).toBe('lost');
    await begin(store, 'ended');
    await store.end('ended', { after: 0, chunks: ['x'.repeat(1_000)] });
    expect(await store.purge(0, 9)).toBe(2);
    await begin(store, 'discarded');
    await append('discarded', 2_000);
    await store.discard('discarded');
    await store.begin({ id: 'of ada', agentId: 'agent', conversationId: 'c', userId: 'ada' }, leaseMs);
    await append('of ada', 2_000);
    expect(await store.deleteUser('ada')).toBe(1);
  }
  for (const id of ['a', 'b', 'c']) {
    await begin(store, id);
    expect(await append(id, 2_000)).toBe('appended');
  }
  expect(await statuses(store, ['a', 'b', 'c'])).toEqual([undefined, 'live', 'live']);
});

it('rejects chunks after a gap as a fault of the caller’s code', async () => {
  const store = openStore({});
  await begin(store, 'a');
  const gap = { after: 1, chunks: ['x'] };
  await expect(store.append('a', gap, leaseMs)).rejects.toMatchObject({ kind: 'internal', code: 'INTERNAL' });
});

it('notifies watchers of new chunks, but not of a renewed lease', async () => {
  const store = openStore({});
  await begin(store, 'a');
  let calls = 0;
  store.watch('a', () => void (calls += 1));
  await store.append('a', { after: 0, chunks: [] }, leaseMs);
  expect(calls).toBe(0);
  await store.append('a', { after: 0, chunks: ['x'] }, leaseMs);
  expect(calls).toBe(1);
});

function openStore(options: InMemoryStreamStoreOptions): InMemoryStreamStore {
  return new InMemoryStreamStore({ now: () => 1_750_000_000_000 }, options);
}

function begin(store: InMemoryStreamStore, id: string, conversationId = id) {
  return store.begin({ id, agentId: 'agent', conversationId, userId: undefined }, leaseMs);
}

function statuses(store: InMemoryStreamStore, ids: readonly string[]) {
  return Promise.all(ids.map(async (id) => (await store.read(id, { after: 0, limit: 1 }))?.status));
}
