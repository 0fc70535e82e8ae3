import { expect, it } from 'vitest';
import { Places, type WorkflowLimits } from './places.ts';

function placesOf(concurrency: number, workflows: Readonly<Record<string, WorkflowLimits>> = {}): Timed {
  const clock = { time: 1_000 };
  return { clock, places: new Places({ concurrency, workflows, now: () => clock.time }) };
}

interface Timed {
  readonly clock: { time: number };
  readonly places: Places;
}

it('has places in all, and of single workflows', () => {
  const { places } = placesOf(5, { orders: { concurrency: 2 } });
  expect([places.freeFor('orders'), places.freeFor('notes')]).toEqual([2, 5]);
  places.take('orders', 2);
  expect([places.freeFor('orders'), places.freeFor('notes')]).toEqual([0, 3]);
  places.take('notes', 3);
  places.leave('orders');
  expect([places.freeFor('orders'), places.freeFor('notes'), places.ownFreeFor('orders')]).toEqual([1, 1, 1]);
});

it('lets as many begin in any window as the rate says, and tells when the next one may', () => {
  const { clock, places } = placesOf(9, { orders: { rateLimit: { max: 2, windowMs: 100 } } });
  places.take('orders', 1);
  clock.time += 60;
  places.take('orders', 1);
  expect([places.freeFor('orders'), places.rateWaitMs('orders')]).toEqual([0, 40]);
  places.leave('orders');
  expect(places.freeFor('orders')).toBe(0);
  clock.time += 40;
  expect([places.freeFor('orders'), places.rateWaitMs('orders')]).toEqual([1, undefined]);
  places.take('orders', 1);
  expect(places.rateWaitMs('orders')).toBe(60);
});

it('does not count places that were taken and not used', () => {
  const { places } = placesOf(9, { orders: { concurrency: 4, rateLimit: { max: 3, windowMs: 100 } } });
  places.take('orders', 3);
  places.giveBack('orders', 2);
  places.giveBack('orders', 0);
  expect([places.freeFor('orders'), places.freeFor('notes')]).toEqual([2, 8]);
});
