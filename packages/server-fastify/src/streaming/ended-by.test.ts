import { expect, it } from 'vitest';
import type { UiMessageChunk } from '../schemas/ui-message-chunk.ts';
import { endedBy } from './ended-by.ts';

const said: UiMessageChunk = { type: 'text-delta', id: 't', delta: 'so far' };

it('ends a source that waits with an abort, and lets it go', async () => {
  const waits = Promise.withResolvers<undefined>();
  const controller = new AbortController();
  const batches = [[said]];
  const source = endedBy(controller.signal, {
    nextBatch: async () => batches.shift() ?? waits.promise,
    cancel: () => waits.resolve(undefined),
  });
  expect(await source.nextBatch()).toEqual([said]);
  const next = source.nextBatch();
  controller.abort();
  expect(await next).toEqual([{ type: 'abort' }]);
  expect(await source.nextBatch()).toBeUndefined();
});

it('ends one that begins after the abort', async () => {
  let isLeft = false;
  const source = endedBy(AbortSignal.abort(), {
    nextBatch: async () => [said],
    cancel: () => {
      isLeft = true;
    },
  });
  expect(await source.nextBatch()).toEqual([{ type: 'abort' }]);
  expect(await source.nextBatch()).toBeUndefined();
  expect(isLeft).toBe(true);
});
