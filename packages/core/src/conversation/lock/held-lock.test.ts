import { expect, it, vi } from 'vitest';
import { HeldLock } from './held-lock.ts';

function open() {
  const onRelease = vi.fn<() => void>();
  const onStop = vi.fn<(why: string) => void>();
  return { onRelease, onStop, lock: new HeldLock(7, onRelease) };
}

it('is released once', () => {
  const { onRelease, lock } = open();
  expect([lock.leasedAt, lock.isHeld]).toEqual([7, true]);
  void lock.release();
  void lock.release();
  expect(lock.isHeld).toBe(false);
  expect(onRelease).toHaveBeenCalledTimes(1);
});

it('tells its holder to stop, and why', () => {
  const { onStop, lock } = open();
  lock.onStop(onStop);
  expect(onStop).not.toHaveBeenCalled();
  lock.stop();
  lock.stop('lost');
  expect(onStop.mock.calls).toEqual([['interrupted'], ['lost']]);
});

it('tells a holder that listens later', () => {
  const { onStop, lock } = open();
  lock.stop('lost');
  lock.onStop(onStop);
  expect(onStop.mock.calls).toEqual([['lost']]);
});
