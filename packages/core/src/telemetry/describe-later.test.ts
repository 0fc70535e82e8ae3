import { expect, it } from 'vitest';
import { describeLater } from './describe-later.ts';

it('describes small content when it is asked to, and states how much memory it retains', () => {
  let calls = 0;
  const { describe, describeBytes } = describeLater({ text: 'x'.repeat(1_000) }, () => ({ calls: (calls += 1) }));
  expect(calls).toBe(0);
  expect(describe?.()).toEqual({ calls: 1 });
  expect(describeBytes).toBeGreaterThan(1_000);
  expect(describeBytes).toBeLessThan(1_200);
});

it.each<[string, unknown]>([
  ['a long text', ['x'.repeat(1_000_000)]],
  ['many values', Array.from({ length: 100_000 }, (_, index) => index)],
  ['binary data', { data: new Uint8Array(1_000_000) }],
])('describes %s at once, so that a stored span retains only its attributes', (_, content) => {
  let calls = 0;
  const { describe, describeBytes } = describeLater(content, () => ({ calls: (calls += 1), text: 'short' }));
  expect(calls).toBe(1);
  expect([describe?.(), describe?.()]).toEqual([
    { calls: 1, text: 'short' },
    { calls: 1, text: 'short' },
  ]);
  expect(describeBytes).toBeLessThan(200);
});
