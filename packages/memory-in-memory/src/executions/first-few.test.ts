import { expect, it } from 'vitest';
import { FirstFew } from './first-few.ts';

it('finds the first values of an order, whatever order they come in', () => {
  const values = Array.from({ length: 1_000 }, (_, index) => (index * 7_919) % 503);
  const inOrder = values.toSorted((one, other) => one - other);
  for (const count of [0, 1, 2, 10, 499, 1_000, 2_000]) {
    for (const coming of [values, inOrder, inOrder.toReversed()]) {
      const first = new FirstFew<number>(count, (one, other) => one - other);
      for (const value of coming) first.add(value);
      expect(first.inOrder()).toEqual(inOrder.slice(0, count));
    }
  }
});
