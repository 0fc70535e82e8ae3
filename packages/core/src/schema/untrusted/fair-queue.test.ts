import { expect, it } from 'vitest';
import { FairQueue } from './fair-queue.ts';

const anyone = (): boolean => true;

it('gives each subject a turn before any has a second one', () => {
  const queue = new FairQueue<string>();
  for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2']) queue.add(item.charAt(0), item);

  const order = Array.from({ length: 7 }, () => queue.take(anyone));

  expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3', undefined]);
});

it('passes over subjects that may not have an item now, which keep their turn', () => {
  const queue = new FairQueue<string>();
  for (const item of ['a1', 'b1', 'b2']) queue.add(item.charAt(0), item);

  expect(queue.take((subject) => subject !== 'a')).toBe('b1');
  expect(queue.take(anyone)).toBe('a1');
  expect(queue.take((subject) => subject !== 'b')).toBeUndefined();
  expect(queue.take(anyone)).toBe('b2');
});
