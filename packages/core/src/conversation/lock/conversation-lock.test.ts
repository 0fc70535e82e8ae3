import { getEventListeners } from 'node:events';
import { InMemoryStreamStore } from '@halyard/memory-in-memory';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fixedClock } from '../../testing/fixed-clock.ts';
import { ConversationLock, type LockRequest } from './conversation-lock.ts';
import type { HeldLock } from './held-lock.ts';

const place = { agentId: 'a', conversationId: 'c1', userId: 'ada' };

/** Two processes on one store. */
function setUp() {
  const clock = fixedClock();
  const store = new InMemoryStreamStore(clock);
  const [locks, other] = [new ConversationLock(store, clock), new ConversationLock(store, clock)];
  let ids = 0;
  const request = (given: Partial<LockRequest> = {}): LockRequest => {
    ids += 1;
    return {
      conversationId: 'c1',
      stream: { ...place, id: `s${ids}` },
      leaseMs: 10_000,
      policy: 'queue',
      signal: undefined,
      waitMs: 5_000,
      ...given,
    };
  };
  const live = async () => (await store.findLive({ user: 'ada' }, place))?.id;
  /** Releases a lock with its stream. */
  const end = async (lock: HeldLock): Promise<void> => {
    await store.discard((await live()) ?? '');
    void lock.release();
  };
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await vi.advanceTimersByTimeAsync(ms);
  };
  return { clock, end, live, other, pass, locks, request, store };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
});

afterEach(() => {
  vi.useRealTimers();
});

describe('a lock', () => {
  it('begins at once where nobody holds it, and leaves no timer', async () => {
    const { clock, live, locks, request } = setUp();
    clock.advance(7);
    const lock = await locks.acquire(request());
    expect([lock.leasedAt, lock.isHeld, await live()]).toEqual([7, true, 's1']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('begins in order of arrival, those of other conversations and users at the same time', async () => {
    const { end, live, locks, request } = setUp();
    const first = await locks.acquire(request());
    const order: string[] = [];
    const next = async (name: string): Promise<void> => {
      const lock = await locks.acquire(request());
      order.push(name);
      await end(lock);
    };
    const waiting = [next('second'), next('third')];
    await locks.acquire(request({ stream: { ...place, conversationId: 'c2', id: 'o1' } }));
    await locks.acquire(request({ stream: { ...place, userId: 'bob', id: 'o2' } }));
    expect([order, await live()]).toEqual([[], 's1']);
    await end(first);
    await Promise.all(waiting);
    expect(order).toEqual(['second', 'third']);
    await locks.acquire(request());
    expect(vi.getTimerCount()).toBe(0);
  });

  it('begins after that of another process, when this has ended or its lease has', async () => {
    const { clock, end, other, pass, locks, request } = setUp();
    const theirs = await other.acquire(request());
    const second = locks.acquire(request());
    await pass(250);
    await end(theirs);
    await pass(1_000);
    const lock = await second;
    expect(lock.leasedAt).toBeGreaterThan(0);
    const third = other.acquire(request({ waitMs: Infinity }));
    await pass(9_000);
    clock.advance(1_000);
    await pass(1_000);
    expect((await third).isHeld).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('goes to the next request where the store fails', async () => {
    const { locks, request, store } = setUp();
    vi.spyOn(store, 'begin').mockRejectedValueOnce(new Error('away'));
    const [first, second] = await Promise.allSettled([locks.acquire(request()), locks.acquire(request())]);
    expect(first).toMatchObject({ status: 'rejected', reason: { message: 'away' } });
    expect(second.status).toBe('fulfilled');
  });
});

describe('a request that waits', () => {
  const stillBusy = (ms: number) => ({
    kind: 'unavailable',
    code: 'CHAT_STILL_BUSY',
    message: `Conversation "c1" was still being answered after ${ms} ms`,
  });
  const busy = {
    kind: 'conflict',
    code: 'CHAT_BUSY',
    message: 'Conversation "c1" is being answered: follow that answer, stop it, or wait for its end',
  };

  it.each([
    ['queue', 5_000, 5_000, stillBusy(5_000)],
    ['queue', 300, 300, stillBusy(300)],
    ['reject', 5_000, 1_000, busy],
    ['reject', 300, 300, busy],
  ] as const)('with the policy %s and %i ms gives up after %i ms', async (policy, waitMs, afterMs, error) => {
    const { end, other, pass, locks, request } = setUp();
    const first = await locks.acquire(request());
    const results: unknown[] = [];
    for (const one of [locks, other])
      one.acquire(request({ policy, waitMs })).catch((reason: unknown) => results.push(reason));
    await pass(afterMs - 1);
    expect(results).toEqual([]);
    await pass(251);
    expect(results).toMatchObject([error, error]);
    await end(first);
    expect((await locks.acquire(request())).isHeld).toBe(true);
  });

  it('leaves when its caller does, and the next one gets the lock', async () => {
    const { end, other, pass, locks, request } = setUp();
    const first = await locks.acquire(request());
    const leaving = new AbortController();
    const { signal } = leaving;
    const [here, there] = [locks.acquire(request({ signal })), other.acquire(request({ signal }))];
    const next = locks.acquire(request());
    leaving.abort(new Error('gone'));
    await expect(here).rejects.toMatchObject({ code: 'ABORTED' });
    await expect(there).rejects.toMatchObject({ code: 'ABORTED' });
    await expect(locks.acquire(request({ signal }))).rejects.toMatchObject({ code: 'ABORTED' });
    await end(first);
    await pass(1);
    expect((await next).isHeld).toBe(true);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is refused where 50 others wait, unless it waits without a limit', async () => {
    const { locks, request } = setUp();
    await locks.acquire(request());
    const waiting = Array.from({ length: 50 }, () => locks.acquire(request()));
    await expect(locks.acquire(request())).rejects.toMatchObject({
      kind: 'conflict',
      code: 'CHAT_BUSY',
      message: '50 requests wait for conversation "c1" already: wait for their answers',
    });
    const patient = locks.acquire(request({ waitMs: Infinity }));
    locks.close(new Error('shutting down'));
    const results = await Promise.allSettled([...waiting, patient]);
    expect(new Set(results.map((one) => (one.status === 'rejected' ? String(one.reason) : one.status)))).toEqual(
      new Set(['Error: shutting down']),
    );
  });

  it('ends at a shutdown, also one that comes later; one that need not wait begins', async () => {
    const { end, other, locks, request } = setUp();
    const first = await locks.acquire(request());
    locks.close(new Error('shutting down'));
    await expect(locks.acquire(request())).rejects.toThrow('shutting down');
    await end(first);
    const lock = await locks.acquire(request());
    other.close(new Error('shutting down'));
    await expect(other.acquire(request())).rejects.toThrow('shutting down');
    expect(lock.isHeld).toBe(true);
  });
});

describe('a request that interrupts', () => {
  it('stops the answer of this process, that which goes on and that which begins', async () => {
    const { end, locks, request } = setUp();
    const first = await locks.acquire(request());
    const stops: string[] = [];
    first.onStop((why) => stops.push(`first ${why}`));
    const second = locks.acquire(request());
    const third = locks.acquire(request({ policy: 'interrupt' }));
    expect(stops).toEqual(['first interrupted']);
    await end(first);
    const lock = await second;
    lock.onStop((why) => stops.push(`second ${why}`));
    expect(stops).toEqual(['first interrupted', 'second interrupted']);
    await end(lock);
    (await third).onStop((why) => stops.push(`third ${why}`));
    expect(stops).toHaveLength(2);
  });

  it('stops no answer with another policy', async () => {
    const { locks, request } = setUp();
    const first = await locks.acquire(request());
    const stop = vi.fn<() => void>();
    first.onStop(stop);
    locks.acquire(request()).catch(() => {});
    locks.acquire(request({ policy: 'reject' })).catch(() => {});
    expect(stop).not.toHaveBeenCalled();
  });

  it.each([
    ['ada', { user: 'ada' }],
    [undefined, 'anyone'],
  ] as const)('asks another process once to stop an answer of %s', async (userId, owner) => {
    const { other, pass, locks, request, store } = setUp();
    const requestStop = vi.spyOn(store, 'requestStop');
    const stream = (id: string) => ({ ...place, userId, id });
    await other.acquire(request({ stream: stream('theirs') }));
    locks.acquire(request({ stream: stream('own'), policy: 'interrupt' })).catch(() => {});
    await pass(2_000);
    expect(requestStop.mock.calls).toEqual([[owner, expect.objectContaining({ id: 'theirs' })]]);
    await store.discard('theirs');
    await pass(1_000);
    expect(await store.findLive(owner, place)).toMatchObject({ id: 'own' });
  });

  it('does not stop that of another process with the policy queue', async () => {
    const { other, pass, locks, request, store } = setUp();
    const requestStop = vi.spyOn(store, 'requestStop');
    await other.acquire(request());
    locks.acquire(request()).catch(() => {});
    await pass(2_000);
    expect(requestStop).not.toHaveBeenCalled();
  });
});
