import { expect, it } from 'vitest';
import { fixedClock } from '../../../testing/index.ts';
import { storeTimeSince } from './store-time.ts';

it.each([3_600_000, -3_600_000])(
  'counts what has passed since the claim, not a jump of the time by %i ms',
  (jumpMs) => {
    const clock = fixedClock();
    const storeTime = storeTimeSince({ now: 5_000 }, clock);
    clock.jump(jumpMs);
    expect(storeTime()).toBe(5_000);
    clock.advance(250);
    expect(storeTime()).toBe(5_250);
  },
);

it('is never before the claim', () => {
  let time = 1_000;
  const storeTime = storeTimeSince({ now: 5_000 }, { now: () => time });
  time = 0;
  expect(storeTime()).toBe(5_000);
});

it('has no fractions of milliseconds, as the times of stores have none', () => {
  let passed = 10.25;
  const storeTime = storeTimeSince({ now: 5_000 }, { now: () => 0, monotonicNow: () => passed });
  passed += 7.5;
  expect(storeTime()).toBe(5_007);
});
