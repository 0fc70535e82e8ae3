import { InMemoryStreamStore } from '@halyard/memory-in-memory';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { fixedClock } from '../../testing/index.ts';
import { ConversationLock } from './conversation-lock.ts';

const leaseMs = 9_000;
const place = { agentId: 'a', conversationId: 'c1', userId: 'ada' };
const request = { ...place, id: 'lock-1', leaseMs, policy: 'queue', signal: undefined, waitMs: 1_000 } as const;

function setUp() {
  const clock = fixedClock();
  const store = new InMemoryStreamStore(clock);
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await vi.advanceTimersByTimeAsync(ms);
  };
  const lockStream = { ...place, conversationId: 'c1 lock' };
  const live = async () => (await store.findLive('anyone', lockStream))?.id;
  const requestStop = () => store.requestStop('anyone', lockStream);
  return { live, locks: new ConversationLock(store, clock), pass, requestStop, store };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
});

afterEach(() => {
  vi.useRealTimers();
});

it('keeps a lock for longer than its lease, although a renewal fails, and deletes it at its release', async () => {
  const { live, locks, pass, store } = setUp();
  const append = vi.spyOn(store, 'append');
  const onStop = vi.fn<() => void>();
  await locks.run(request, async (lock) => {
    lock?.onStop(onStop);
    await pass(leaseMs / 3);
    append.mockRejectedValueOnce(new Error('away'));
    for (let times = 0; times < 6; times += 1) await pass(leaseMs / 3);
    expect([lock?.isHeld, await live()]).toEqual([true, 'lock-1']);
    await lock?.release();
    expect([lock?.isHeld, await live()]).toEqual([false, undefined]);
  });
  expect(append).toHaveBeenCalledTimes(7);
  expect(onStop).not.toHaveBeenCalled();
  expect(vi.getTimerCount()).toBe(0);
});

it('releases a lock whose stream cannot be deleted', async () => {
  const { locks, store } = setUp();
  vi.spyOn(store, 'discard').mockRejectedValueOnce(new Error('away'));
  await locks.run(request, async (lock) => {
    await lock?.release();
    expect(lock?.isHeld).toBe(false);
  });
  expect(vi.getTimerCount()).toBe(0);
});

it('tells the holder when the store has lost its lock', async () => {
  const { locks, pass, store } = setUp();
  const onStop = vi.fn<(why: string) => void>();
  await locks.run(request, async (lock) => {
    lock?.onStop(onStop);
    await store.discard('lock-1');
    await pass(leaseMs / 3);
    expect(onStop.mock.calls).toEqual([['lost']]);
    await lock?.release();
  });
});

it('tells the holder nothing more after its release', async () => {
  const { locks, pass, store } = setUp();
  const onStop = vi.fn<(why: string) => void>();
  const reply = Promise.withResolvers<'lost'>();
  await locks.run(request, async (lock) => {
    lock?.onStop(onStop);
    vi.spyOn(store, 'append').mockReturnValueOnce(reply.promise);
    await pass(leaseMs / 3);
    await lock?.release();
    reply.resolve('lost');
    await pass(leaseMs);
  });
  expect(onStop).not.toHaveBeenCalled();
});

it.each([
  ['queue', leaseMs / 3],
  ['reject', leaseMs / 3],
  ['interrupt', 0],
] as const)('tells the holder with the policy %s of a request to stop after %i ms', async (policy, afterMs) => {
  const { locks, pass, requestStop } = setUp();
  const onStop = vi.fn<(why: string) => void>();
  await locks.run({ ...request, policy }, async (lock) => {
    lock?.onStop(onStop);
    expect(await requestStop()).toBe(true);
    if (afterMs > 0) await pass(afterMs - 1);
    expect(onStop).not.toHaveBeenCalled();
    await pass(1);
    expect(onStop.mock.calls[0]).toEqual(['interrupted']);
    await lock?.release();
  });
});

it('is told by the store no more after the release', async () => {
  const { locks, pass, store } = setUp();
  const append = vi.spyOn(store, 'append');
  await locks.run({ ...request, policy: 'interrupt' }, async (lock) => lock?.release());
  await store.begin({ ...place, id: 'lock-1' }, leaseMs);
  await store.requestStop('anyone', place);
  await pass(leaseMs);
  expect(append).not.toHaveBeenCalled();
});

it('gives a run no lock within another one of its conversation, but within that of another', async () => {
  const { locks } = setUp();
  const inner = async (change: object): Promise<boolean> =>
    locks.run({ ...request, id: `inner-${JSON.stringify(change)}`, ...change }, async (lock) => {
      await lock?.release();
      return lock !== undefined;
    });
  await locks.run(request, async (lock) => {
    expect(await inner({})).toBe(false);
    expect(await inner({ conversationId: 'c2' })).toBe(true);
    expect(await inner({ userId: 'bob' })).toBe(true);
    // The run within the run knows both locks.
    await locks.run({ ...request, id: 'lock-2', conversationId: 'c2' }, async (second) => {
      expect([await inner({}), await inner({ conversationId: 'c2' })]).toEqual([false, false]);
      await second?.release();
    });
    await lock?.release();
    expect(await inner({})).toBe(true);
  });
});

it('reports a store that fails as unavailable', async () => {
  const { locks, store } = setUp();
  vi.spyOn(store, 'begin').mockRejectedValueOnce(new Error('away'));
  await expect(locks.run(request, async () => 'never')).rejects.toMatchObject({ kind: 'unavailable' });
});

it('leaves no lock to a caller that has left while the store granted it', async () => {
  const { live, locks, pass, store } = setUp();
  const leaving = new AbortController();
  await store.begin({ ...place, conversationId: 'c1 lock', id: 'theirs' }, leaseMs);
  const waiting = locks.run({ ...request, signal: leaving.signal }, async () => 'never');
  await pass(1);
  const begin = store.begin.bind(store);
  vi.spyOn(store, 'begin').mockImplementationOnce(async (...given) => {
    leaving.abort();
    return begin(...given);
  });
  await store.discard('theirs');
  const [outcome] = await Promise.allSettled([waiting, pass(1_000)]);
  expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'ABORTED' } });
  expect(await live()).toBeUndefined();
});
