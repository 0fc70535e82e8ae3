import { expect, it } from 'vitest';
import { contentCodings, FixedText } from './fixed-text.ts';

it.each(contentCodings)('computes %s once, also for requests at the same time', async (coding) => {
  const text = new FixedText('text '.repeat(1_000));
  const [first, second] = await Promise.all([text.encoded(coding), text.encoded(coding)]);
  expect(second).toBe(first);
  expect(await text.encoded(coding)).toBe(first);
});

it('names a text by its content', () => {
  expect(new FixedText('a').etag).toBe(new FixedText('a').etag);
  expect(new FixedText('a').etag).not.toBe(new FixedText('b').etag);
});
