import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { LeaseDeadline, leaseTime } from './lease-deadline.ts';

const leaseMs = 9_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('ends one lease after the request, however late the answer came', () => {
  const onEnd = vi.fn<() => void>();
  const requestedAt = leaseTime();
  vi.advanceTimersByTime(4_000);
  const deadline = new LeaseDeadline(leaseMs, requestedAt, onEnd);

  vi.advanceTimersByTime(4_999);
  expect(onEnd).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(onEnd).toHaveBeenCalledOnce();
  deadline.clear();
});

it('ends one lease after the request of the last renewal', () => {
  const onEnd = vi.fn<() => void>();
  const deadline = new LeaseDeadline(leaseMs, leaseTime(), onEnd);
  vi.advanceTimersByTime(3_000);
  const requestedAt = leaseTime();
  vi.advanceTimersByTime(1_000);
  deadline.renewed(requestedAt);

  vi.advanceTimersByTime(7_999);
  expect(onEnd).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(onEnd).toHaveBeenCalledOnce();
});

it('does not end after the run has ended', () => {
  const onEnd = vi.fn<() => void>();
  const deadline = new LeaseDeadline(leaseMs, leaseTime(), onEnd);
  deadline.clear();

  vi.advanceTimersByTime(leaseMs);

  expect(onEnd).not.toHaveBeenCalled();
  expect(vi.getTimerCount()).toBe(0);
});
