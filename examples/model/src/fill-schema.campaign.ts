import { expect, it } from 'vitest';
import { fillSchema } from './fill-schema.ts';

it('reads a long message in bounded time', () => {
  const start = performance.now();
  fillSchema(
    { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    'Ada and 3 of '.repeat(50_000),
    { today: new Date('2026-11-21T10:00:00Z') },
  );
  expect(performance.now() - start).toBeLessThan(2000);
});
