import { AsyncLocalStorage } from 'node:async_hooks';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { alarmAfter, type Sleeper } from './alarm.ts';

const timersOf = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

class Woken implements Sleeper {
  wakesAt = 0;
  before: Sleeper | undefined = undefined;
  behind: Sleeper | undefined = undefined;
  readonly wake: () => void;

  constructor(wake: () => void) {
    this.wake = wake;
  }
}

describe('an alarm', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('wakes each when its own time is over, but those who have left', () => {
    const woken: string[] = [];
    const alarm = alarmAfter(100);
    const began = performance.now();
    const sleepers = ['a', 'b', 'c', 'd', 'e'].map(
      (name) => new Woken(() => woken.push(`${name} after ${performance.now() - began}`)),
    );

    for (const sleeper of sleepers) {
      alarm.set(sleeper);
      vi.advanceTimersByTime(20);
    }
    const [first, , third, , last] = sleepers;
    for (const sleeper of [third, last]) if (sleeper !== undefined) alarm.leave(sleeper);
    vi.advanceTimersByTime(45);
    expect(woken).toEqual(['a after 100', 'b after 120']);
    if (first !== undefined) alarm.set(first);
    vi.advanceTimersByTime(1000);

    expect(woken).toEqual(['a after 100', 'b after 120', 'd after 160', 'a after 245']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('serves all who wait so long by one timer, which stays while nobody does', () => {
    const alarm = alarmAfter(100);
    const sleepers = Array.from({ length: 1000 }, () => new Woken(() => {}));

    for (const sleeper of sleepers) alarmAfter(100).set(sleeper);
    for (const sleeper of sleepers) alarm.leave(sleeper);
    expect(vi.getTimerCount()).toBe(1);
    for (const sleeper of sleepers) alarm.set(sleeper);
    expect(vi.getTimerCount()).toBe(1);
    for (const sleeper of sleepers) alarm.leave(sleeper);
    vi.advanceTimersByTime(100);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('lets who is woken send others away, and come again', () => {
    const woken: string[] = [];
    const alarm = alarmAfter(100);
    const second = new Woken(() => woken.push('second'));
    const first: Woken = new Woken(() => {
      woken.push('first');
      if (woken.length > 1) return;
      alarm.leave(second);
      alarm.set(first);
    });
    alarm.set(first);
    alarm.set(second);

    vi.advanceTimersByTime(100);
    expect(woken).toEqual(['first']);
    vi.advanceTimersByTime(100);
    expect(woken).toEqual(['first', 'first']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('wakes those who come after the timers of a test are gone, or others are in their place', async () => {
    const woken: string[] = [];
    alarmAfter(5).set(new Woken(() => woken.push('never')));
    vi.useRealTimers();

    await new Promise<void>((resolve) => alarmAfter(5).set(new Woken(resolve)));
    const real = alarmAfter(5);
    const waits = new Woken(() => {});
    real.set(waits);
    vi.useFakeTimers();
    alarmAfter(5).set(new Woken(() => woken.push('faked')));
    vi.advanceTimersByTime(5);

    expect(woken).toEqual(['faked']);
    real.leave(waits);
  });
});

it('keeps the process while somebody waits, and no longer', () => {
  const before = timersOf();
  const alarm = alarmAfter(60_000);
  const sleepers = Array.from({ length: 3 }, () => new Woken(() => {}));
  for (let round = 0; round < 3; round += 1) {
    for (const sleeper of sleepers) alarm.set(sleeper);
    expect(timersOf()).toBe(before + 1);
    for (const sleeper of sleepers) alarm.leave(sleeper);
    expect(timersOf()).toBe(before);
  }
});

it('wakes nobody in the request of another', async () => {
  const requests = new AsyncLocalStorage<string>();
  const seen = await requests.run(
    'a request',
    () => new Promise((resolve) => alarmAfter(3).set(new Woken(() => resolve(requests.getStore() ?? 'none')))),
  );

  expect(seen).toBe('none');
});
