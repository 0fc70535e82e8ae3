import { expect, it } from 'vitest';
import { batchesOf } from './batches-of.ts';

it('gives the events one by one, then the end', async () => {
  async function* events() {
    yield 1;
    yield 2;
  }
  const source = batchesOf(events(), () => {});

  expect(await source.nextBatch()).toEqual([1]);
  expect(await source.nextBatch()).toEqual([2]);
  expect(await source.nextBatch()).toBeUndefined();
});

it('stops what the iterable waits for when it is cancelled, and lets it clean up', async () => {
  const stop = new AbortController();
  let cleaned = false;
  async function* events() {
    try {
      await new Promise((resolve) => stop.signal.addEventListener('abort', resolve, { once: true }));
      yield 1;
    } finally {
      cleaned = true;
    }
  }
  const source = batchesOf(events(), () => stop.abort());

  const waiting = source.nextBatch();
  source.cancel();

  expect(await waiting).toEqual([1]);
  expect(await source.nextBatch()).toBeUndefined();
  expect(cleaned).toBe(true);
});

it('passes a failure on', async () => {
  async function* events() {
    yield 1;
    throw new RangeError('broken');
  }
  const source = batchesOf(events(), () => {});

  await source.nextBatch();
  await expect(source.nextBatch()).rejects.toThrow('broken');
});
