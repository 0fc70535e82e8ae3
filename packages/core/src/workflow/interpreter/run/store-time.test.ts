import { expect, it } from 'vitest';
import { fixedClock } from '../../../testing/index.ts';
import { storeTimeSince } from './store-time.ts';

it.each([3_600_000, -3_600_000])(
  'counts what has passed since the claim, not a jump of the time by %i ms',
  (jumpMs) => {
    const clock = fixedClock();
    const { latest, now } = storeTimeSince({ now: 5_000 }, clock, 0);
    clock.jump(jumpMs);
    expect([now(), latest()]).toEqual([5_000, 5_000]);
    clock.advance(250);
    expect([now(), latest()]).toEqual([5_250, 5_250]);
  },
);

it('is never before the claim', () => {
  let time = 1_000;
  const { latest, now } = storeTimeSince({ now: 5_000 }, { now: () => time }, time);
  time = 0;
  expect([now(), latest()]).toEqual([5_000, 5_000]);
});

it('has no fractions of milliseconds, as the times of stores have none', () => {
  let passed = 10.25;
  const { latest, now } = storeTimeSince({ now: 5_000 }, { now: () => 0, monotonicNow: () => passed }, passed);
  passed += 7.5;
  expect([now(), latest()]).toEqual([5_007, 5_008]);
});

it('knows that the store may have answered late: the claim may be as old as its request', () => {
  const clock = fixedClock();
  clock.advance(3_000);
  const { latest, now } = storeTimeSince({ now: 5_000 }, clock, 1_000);
  expect([now(), latest()]).toEqual([5_000, 7_000]);
});
