import { beforeEach, describe, expect, it } from 'vitest';
import { ArrivalCheck } from './arrival-check.ts';

describe('the check that notifications arrive', () => {
  let now: number;
  let sent: number[];
  let events: string[];
  let check: ArrivalCheck;
  let failure: Error | undefined;
  beforeEach(() => {
    now = 0;
    sent = [];
    events = [];
    failure = undefined;
    check = new ArrivalCheck({
      now: () => now,
      send: async (number) => {
        sent.push(number);
        if (failure !== undefined) throw failure;
      },
      onArriving: () => void events.push('arriving'),
      onSilence: () => void events.push('silence'),
    });
  });

  /** Ticks each second for so many seconds. */
  const pass = (seconds: number): void => {
    for (let second = 0; second < seconds; second += 1) {
      now += 1_000;
      check.tick();
    }
  };

  it('knows that they arrive when the first has, and sends one each 30 seconds', () => {
    check.listening();
    expect([check.isArriving, sent]).toEqual([false, [1]]);
    check.received(1);
    expect([check.isArriving, events]).toEqual([true, ['arriving']]);
    pass(29);
    expect(sent).toEqual([1]);
    pass(1);
    expect(sent).toEqual([1, 2]);
    check.received(2);
    pass(20);
    expect([check.isArriving, events]).toEqual([true, ['arriving']]);
  });

  it('reports a connection that has become silent, once', () => {
    check.listening();
    check.received(1);
    pass(30);
    pass(4);
    expect([check.isArriving, events]).toEqual([true, ['arriving']]);
    pass(60);
    expect([check.isArriving, events]).toEqual([false, ['arriving', 'silence']]);
    check.listening();
    check.received(2);
    expect(check.isArriving).toBe(false);
    check.received(3);
    expect([check.isArriving, events]).toEqual([true, ['arriving', 'silence', 'arriving']]);
  });

  it('leaves a connection alone on which none has ever arrived, and asks again', () => {
    check.listening();
    pass(29);
    expect([sent, events]).toEqual([[1], []]);
    pass(1);
    check.received(1);
    expect([sent, check.isArriving]).toEqual([[1, 2], false]);
    check.received(2);
    expect(check.isArriving).toBe(true);
  });

  it('sends one again that was not sent', async () => {
    failure = new Error('the database is away');
    check.listening();
    await Promise.resolve();
    await Promise.resolve();
    failure = undefined;
    pass(1);
    expect(sent).toEqual([1, 2]);
    pass(1);
    expect(sent).toEqual([1, 2]);
  });

  it('asks nothing while no connection listens, and ignores what arrives late', () => {
    check.listening();
    check.broken();
    check.received(1);
    pass(100);
    expect([check.isArriving, sent]).toEqual([false, [1]]);
  });
});
