import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { LeaseDeadline, leaseTime } from './lease-deadline.ts';

const leaseMs = 9_000;
const onEnd = vi.fn<() => void>();

beforeEach(() => {
  vi.useFakeTimers();
  onEnd.mockClear();
});
afterEach(() => void vi.useRealTimers());

it('ends one lease after the request, however late the answer came', () => {
  const requestedAt = leaseTime();
  vi.advanceTimersByTime(4_000);
  new LeaseDeadline(leaseMs, onEnd).extend(requestedAt);

  vi.advanceTimersByTime(4_999);
  expect(onEnd).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(onEnd).toHaveBeenCalledOnce();
});

it('ends one lease after the last request, in whatever order the answers came', () => {
  const deadline = new LeaseDeadline(leaseMs, onEnd);
  deadline.extend(leaseTime());
  const first = leaseTime();
  vi.advanceTimersByTime(3_000);
  const last = leaseTime();
  vi.advanceTimersByTime(1_000);
  deadline.extend(last);
  deadline.extend(first);

  vi.advanceTimersByTime(7_999);
  expect(onEnd).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(onEnd).toHaveBeenCalledOnce();
});

it('ends when it is checked after its time, before its timer has run', () => {
  const deadline = new LeaseDeadline(leaseMs, onEnd);
  deadline.check();
  const requestedAt = leaseTime();
  deadline.extend(requestedAt);
  const now = vi.spyOn(performance, 'now');
  now.mockReturnValue(requestedAt + leaseMs - 1);
  deadline.check();
  expect(onEnd).not.toHaveBeenCalled();
  now.mockReturnValue(requestedAt + leaseMs);
  deadline.check();
  deadline.check();
  expect(onEnd).toHaveBeenCalledOnce();
  expect(vi.getTimerCount()).toBe(0);
  now.mockRestore();
});

it('does not end when the process runs nothing, until it runs something again', () => {
  const deadline = new LeaseDeadline(leaseMs, onEnd);
  const first = leaseTime();
  vi.advanceTimersByTime(1);
  deadline.extend(leaseTime());
  deadline.clear();
  expect(vi.getTimerCount()).toBe(0);

  deadline.extend(first);

  vi.advanceTimersByTime(leaseMs);
  expect(onEnd).toHaveBeenCalledOnce();
});
