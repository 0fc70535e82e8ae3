import { afterEach, expect, it, vi } from 'vitest';
import { SharedInterval } from './shared-interval.ts';

afterEach(() => {
  vi.useRealTimers();
});

it('calls all callbacks with one timer until they are removed', () => {
  vi.useFakeTimers();
  const interval = new SharedInterval(1_000);
  const called: string[] = [];
  const removals = ['a', 'b'].map((name) => interval.add(() => called.push(name)));
  expect(vi.getTimerCount()).toBe(1);

  vi.advanceTimersByTime(1_000);
  removals[0]?.();
  vi.advanceTimersByTime(1_000);
  expect(called).toEqual(['a', 'b', 'b']);

  removals[1]?.();
  expect(vi.getTimerCount()).toBe(0);
});
