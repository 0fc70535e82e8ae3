import { expect, it } from 'vitest';
import { Slots, type WorkflowLimits } from './slots.ts';

function slotsOf(concurrency: number, workflows: Readonly<Record<string, WorkflowLimits>> = {}): Timed {
  const clock = { time: 1_000 };
  return { clock, slots: new Slots({ concurrency, workflows, now: () => clock.time }) };
}

interface Timed {
  readonly clock: { time: number };
  readonly slots: Slots;
}

it('limits the slots in total and for single workflows', () => {
  const { slots } = slotsOf(5, { orders: { concurrency: 2 } });
  expect([slots.freeFor('orders'), slots.freeFor('notes')]).toEqual([2, 5]);
  slots.take('orders', 2);
  expect([slots.freeFor('orders'), slots.freeFor('notes')]).toEqual([0, 3]);
  slots.take('notes', 3);
  slots.release('orders');
  expect([slots.freeFor('orders'), slots.freeFor('notes'), slots.freeWithinOwnLimits('orders')]).toEqual([1, 1, 1]);
});

it('limits the starts in any time window, and returns the time until the next start', () => {
  const { clock, slots } = slotsOf(9, { orders: { rateLimit: { max: 2, windowMs: 100 } } });
  slots.take('orders', 1);
  clock.time += 60;
  slots.take('orders', 1);
  expect([slots.freeFor('orders'), slots.rateWaitMs('orders')]).toEqual([0, 40]);
  slots.release('orders');
  expect(slots.freeFor('orders')).toBe(0);
  clock.time += 40;
  expect([slots.freeFor('orders'), slots.rateWaitMs('orders')]).toEqual([1, undefined]);
  slots.take('orders', 1);
  expect(slots.rateWaitMs('orders')).toBe(60);
});

it('does not count slots that were given back', () => {
  const { slots } = slotsOf(9, { orders: { concurrency: 4, rateLimit: { max: 3, windowMs: 100 } } });
  slots.take('orders', 3);
  slots.giveBack('orders', 2);
  slots.giveBack('orders', 0);
  expect([slots.freeFor('orders'), slots.freeFor('notes')]).toEqual([2, 8]);
});
