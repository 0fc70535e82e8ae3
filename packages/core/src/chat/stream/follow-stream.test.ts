import { InMemoryStreamStore } from '@halyard/memory-in-memory';
import { expect, it, vi } from 'vitest';
import { SharedInterval } from '../../async/shared-interval.ts';
import { fixedClock } from '../../testing/index.ts';
import { followStream } from './follow-stream.ts';

const id = 's1';
const leaseMs = 9_000;
/** Characters of a batch. */
const batchLength = 64 * 1024;

async function open(...chunks: readonly string[]) {
  const clock = fixedClock();
  const store = new InMemoryStreamStore(clock);
  await store.begin({ id, agentId: 'poet', conversationId: 'c1', userId: 'ada' }, leaseMs);
  await store.append(id, { after: 0, chunks }, leaseMs);
  const leaving = new AbortController();
  const read = vi.spyOn(store, 'read');
  const follow = (after = 0) =>
    followStream(id, { store, clock, ticks: new SharedInterval(5), after, signal: leaving.signal });
  const end = (...last: readonly string[]) => store.end(id, { after: chunks.length, chunks: last });
  const batchesAfter = async (after: number): Promise<readonly string[][]> => {
    const batches: string[][] = [];
    for await (const batch of follow(after)) batches.push([...batch]);
    return batches;
  };
  return { batchesAfter, clock, end, follow, leaving, read, store };
}

it.each([
  [0, [['a', 'b', 'c']]],
  [1, [['b', 'c']]],
  [2, [['c']]],
  [3, []],
])('yields the chunks after the first %i', async (after, batches) => {
  const { batchesAfter, end } = await open('a', 'b', 'c');
  await end();
  expect(await batchesAfter(after)).toEqual(batches);
});

it('yields chunks as they are written, and ends with the answer', async () => {
  const { end, follow } = await open('a');
  const chunks = follow();
  expect(await chunks.next()).toEqual({ done: false, value: ['a'] });
  const next = chunks.next();
  await end('b');
  expect(await next).toEqual({ done: false, value: ['b'] });
  expect(await chunks.next()).toEqual({ done: true, value: undefined });
});

it.each([
  ['as many as fit', ['x'.repeat(batchLength / 2), 'y'.repeat(batchLength / 2), 'z'], [2, 1]],
  ['one that is too long alone', ['x'.repeat(batchLength + 1), 'y', 'z'], [1, 1, 1]],
  ['one that just fits', ['x'.repeat(batchLength), 'y'], [1, 1]],
  ['short ones before a long one', ['x', 'y', 'z'.repeat(batchLength)], [2, 1]],
])('bounds a batch of long chunks: %s', async (_, chunks, sizes) => {
  const { batchesAfter, end } = await open(...chunks);
  await end();
  const batches = await batchesAfter(0);
  expect(batches.flat()).toEqual(chunks);
  expect(batches.map(({ length }) => length)).toEqual(sizes);
});

it('asks for no more long chunks than fit into a batch', async () => {
  const { batchesAfter, end, read } = await open(...Array.from({ length: 8 }, () => 'x'.repeat(batchLength / 2)));
  await end();
  await batchesAfter(0);
  expect(read.mock.calls.slice(0, 3).map(([, { limit }]) => limit)).toEqual([256, 2, 256]);
});

it('yields more chunks than one read returns', async () => {
  const chunks = Array.from({ length: 600 }, (_, at) => String(at));
  const { batchesAfter, end } = await open(...chunks);
  await end();
  const batches = await batchesAfter(0);
  expect(batches.flat()).toEqual(chunks);
  expect(batches.map(({ length }) => length)).toEqual([256, 256, 88]);
});

it('yields all chunks of an answer that fills its reads', async () => {
  const chunks = Array.from({ length: 256 }, (_, at) => String(at));
  const { batchesAfter, end } = await open(...chunks);
  await end();
  expect((await batchesAfter(0)).flat()).toEqual(chunks);
});

it('fails after the chunks of a stream that was lost or deleted', async () => {
  const { clock, follow, store } = await open('a');
  clock.advance(leaseMs);
  const chunks = follow();
  expect(await chunks.next()).toEqual({ done: false, value: ['a'] });
  await expect(chunks.next()).rejects.toMatchObject({ kind: 'unavailable', code: 'ANSWER_LOST' });
  await store.discard(id);
  await expect(follow().next()).rejects.toMatchObject({ code: 'ANSWER_LOST' });
});

it('ends when its reader leaves, also while it waits, and listens no more', async () => {
  const { follow, leaving, read, store } = await open('a');
  const removed = vi.fn<() => void>();
  vi.spyOn(store, 'watch').mockReturnValue(removed);
  const chunks = follow();
  await chunks.next();
  const next = chunks.next();
  expect(read).toHaveBeenCalledTimes(1);
  leaving.abort();
  expect(await next).toEqual({ done: true, value: undefined });
  expect(removed).toHaveBeenCalledTimes(1);
  expect(await follow().next()).toEqual({ done: true, value: undefined });
});
