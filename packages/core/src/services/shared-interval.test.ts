import { afterEach, expect, it, vi } from 'vitest';
import { SharedInterval } from './shared-interval.ts';

afterEach(() => {
  vi.useRealTimers();
});

it('calls all who asked, with one timer, until they stop', () => {
  vi.useFakeTimers();
  const interval = new SharedInterval(1_000);
  const called: string[] = [];
  const stops = ['a', 'b'].map((name) => interval.add(() => called.push(name)));
  expect(vi.getTimerCount()).toBe(1);

  vi.advanceTimersByTime(1_000);
  stops[0]?.();
  vi.advanceTimersByTime(1_000);
  expect(called).toEqual(['a', 'b', 'b']);

  stops[1]?.();
  expect(vi.getTimerCount()).toBe(0);
});
