import { expect, it } from 'vitest';
import { readBody } from './read-body.ts';

const post = (body: string): Request => new Request('http://localhost/', { method: 'POST', body });

it('reads a body up to the limit', async () => {
  expect(String(await readBody(post('hello'), 5))).toBe('hello');
  expect(await readBody(post('hello!'), 5)).toBeUndefined();
  expect(await readBody(new Request('http://localhost/'))).toHaveLength(0);
});

it('stops reading a body that does not end', async () => {
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: (controller) => controller.enqueue(new Uint8Array(1_000)),
    cancel: () => {
      isCancelled = true;
    },
  });
  expect(await readBody({ body }, 5_000)).toBeUndefined();
  expect(isCancelled).toBe(true);
});
