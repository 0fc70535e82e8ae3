import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { UnavailableError } from '@halyard/contracts';
import { expect, it } from 'vitest';
import { Batcher } from './batcher.ts';

it('sends the calls that arrive while a batch is in flight as one batch, ordered by key', async () => {
  const batches: (readonly string[])[] = [];
  const gate = Promise.withResolvers<void>();
  const batcher = new Batcher(
    async (items) => {
      batches.push(items);
      await gate.promise;
      return items;
    },
    { concurrency: 1 },
  );
  const first = batcher.add('a', 'first');
  await yieldToEventLoop();
  await yieldToEventLoop();
  const others = ['c', 'a', 'b'].map((key) => batcher.add(key, key));
  gate.resolve();
  expect(await Promise.all([first, ...others])).toEqual(['first', 'c', 'a', 'b']);
  expect(batches).toEqual([['first'], ['a', 'b', 'c']]);
});

it('rejects only the call that causes an error, not the others of its batch', async () => {
  const batcher = new Batcher(
    async (items) => {
      if (items.includes('bad')) throw new TypeError('refused');
      return items;
    },
    { concurrency: 2 },
  );
  const results = await Promise.allSettled(['good', 'bad', 'fine'].map((item) => batcher.add(item, item)));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

it('does not send the calls one by one when the database is down', async () => {
  let sent = 0;
  const batcher = new Batcher<string>(
    async () => {
      sent += 1;
      throw new UnavailableError('STORAGE_UNAVAILABLE', 'The storage is not available');
    },
    { concurrency: 2 },
  );
  const results = await Promise.allSettled(['a', 'b', 'c'].map((item) => batcher.add(item, item)));
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(sent).toBe(1);
});

it('rejects a call that has waited three seconds for others, without sending it', async () => {
  let now = 0;
  const sent: string[] = [];
  const gate = Promise.withResolvers<void>();
  const batcher = new Batcher(
    async (items) => {
      sent.push(...items);
      await gate.promise;
      return items;
    },
    { concurrency: 1, now: () => now },
  );
  const first = batcher.add('first', 'first');
  await yieldToEventLoop();
  await yieldToEventLoop();
  const late = batcher.add('late', 'late');
  now = 2_000;
  const next = batcher.add('next', 'next');
  now = 3_001;
  gate.resolve();
  await expect(late).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
  expect(await Promise.all([first, next])).toEqual(['first', 'next']);
  expect(sent).toEqual(['first', 'next']);
});

it('limits the size of a batch, and sends an item that is too long by itself', async () => {
  const lengths: number[] = [];
  const batcher = new Batcher(
    async (items) => {
      lengths.push(items.length);
      return items;
    },
    { concurrency: 1, maxItems: 3, maxLength: 10 },
  );
  await Promise.all(['1', '2', '3', '4', 'x'.repeat(20), '6'].map((item) => batcher.add('', item)));
  expect(lengths).toEqual([3, 1, 1, 1]);
});
