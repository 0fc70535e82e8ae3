import { setImmediate as turn } from 'node:timers/promises';
import { UnavailableError } from '@halyard/contracts';
import { expect, it } from 'vitest';
import { Batcher } from './batcher.ts';

it('sends what gathers while a batch is under way in one more, in the order of keys', async () => {
  const batches: (readonly string[])[] = [];
  const gate = Promise.withResolvers<void>();
  const batcher = new Batcher(
    async (items) => {
      batches.push(items);
      await gate.promise;
      return items;
    },
    { lanes: 1 },
  );
  const first = batcher.add('a', 'first');
  await turn();
  await turn();
  const others = ['c', 'a', 'b'].map((key) => batcher.add(key, key));
  gate.resolve();
  expect(await Promise.all([first, ...others])).toEqual(['first', 'c', 'a', 'b']);
  expect(batches).toEqual([['first'], ['a', 'b', 'c']]);
});

it('lets no call fail for another', async () => {
  const batcher = new Batcher(
    async (items) => {
      if (items.includes('bad')) throw new TypeError('refused');
      return items;
    },
    { lanes: 2 },
  );
  const answers = await Promise.allSettled(['good', 'bad', 'fine'].map((item) => batcher.add(item, item)));
  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

it('asks no database again for each call that is not there for all of them', async () => {
  let sent = 0;
  const batcher = new Batcher<string>(
    async () => {
      sent += 1;
      throw new UnavailableError('STORAGE_UNAVAILABLE', 'The storage is not available');
    },
    { lanes: 2 },
  );
  const answers = await Promise.allSettled(['a', 'b', 'c'].map((item) => batcher.add(item, item)));
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(sent).toBe(1);
});

it('sends no more at once than it may, and one that is too long by itself', async () => {
  const lengths: number[] = [];
  const batcher = new Batcher(
    async (items) => {
      lengths.push(items.length);
      return items;
    },
    { lanes: 1, maxItems: 3, maxLength: 10 },
  );
  await Promise.all(['1', '2', '3', '4', 'x'.repeat(20), '6'].map((item) => batcher.add('', item)));
  expect(lengths).toEqual([3, 1, 1, 1]);
});
