import { expect, it } from 'vitest';
import { readRetryAfter, retryInMs } from './retry-schedule.ts';

const hour = 3_600_000;

it('tries for three days, later and later', () => {
  const waits = Array.from({ length: 11 }, (_, index) => retryInMs(index + 1, 0));
  expect(waits.slice(0, 2)).toEqual([5_000, 300_000]);
  expect(waits.slice(8)).toEqual([24 * hour, undefined, undefined]);
  const days = waits.reduce<number>((sum, wait) => sum + (wait ?? 0), 0) / (24 * hour);
  expect(days).toBeCloseTo(3.15, 2);
});

it('spreads attempts by up to a fifth', () => {
  expect([0, 0.5, 1].map((random) => retryInMs(1, random))).toEqual([5_000, 5_500, 6_000]);
});

it('waits as long as the receiver asks, but no longer than a day', () => {
  expect(retryInMs(1, 0, 60_000)).toBe(60_000);
  expect(retryInMs(3, 0, 60_000)).toBe(hour / 2);
  expect(retryInMs(1, 0, 1e15)).toBe(24 * hour);
});

it.each([
  [undefined, 0],
  ['', 0],
  ['120', 120_000],
  ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
  ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
  ['soon', 0],
  ['-5', 0],
])('reads Retry-After: %s', (header, ms) => {
  expect(readRetryAfter(header, Date.parse('2026-01-01T00:00:00Z'))).toBe(ms);
});
