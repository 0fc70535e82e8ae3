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

it('drops the newest item of the subject that has the most', () => {
  const queue = new FairQueue<string>();
  for (const item of ['a1', 'b1', 'b2', 'c1']) queue.add(item.charAt(0), item);

  expect(queue.dropNewest()).toBe('b2');
  expect(queue.size).toBe(3);
  expect([queue.take(anyone), queue.take(anyone), queue.dropNewest(), queue.dropNewest()]).toEqual([
    'a1',
    'b1',
    'c1',
    undefined,
  ]);
  expect(queue.size).toBe(0);
});

it('asks whether a subject may have its oldest item', () => {
  const queue = new FairQueue<string>();
  for (const item of ['a1', 'b1', 'b2']) queue.add(item.charAt(0), item);

  expect(queue.take((_, oldest) => oldest === 'b1')).toBe('b1');
  expect(queue.take((_, oldest) => oldest === 'b1')).toBeUndefined();
});

it('behaves like lists that are searched for the longest', () => {
  const queue = new FairQueue<string>();
  const lists = new Map<string, string[]>();
  const longest = (): number => Math.max(0, ...[...lists.values()].map(({ length }) => length));
  for (let step = 0; step < 2_000; step += 1) {
    const subject = String.fromCodePoint(97 + ((step * step) % 7));
    if (step % 3 !== 2) {
      queue.add(subject, `${subject}${step}`);
      lists.set(subject, [...(lists.get(subject) ?? []), `${subject}${step}`]);
    } else if (step % 2 === 0) {
      const most = longest();
      const dropped = queue.dropNewest() ?? '';
      const list = lists.get(dropped.charAt(0));
      expect([list?.length, list?.pop()]).toEqual([most, dropped]);
    } else {
      const taken = queue.take((one) => one === subject);
      expect(taken).toBe(lists.get(subject)?.shift());
    }
    expect(queue.size).toBe([...lists.values()].flat().length);
  }
});
