import { InMemoryStreamStore } from '@halyard/memory-in-memory';
import { afterEach, expect, it, vi } from 'vitest';
import { fixedClock } from '../../testing/index.ts';
import { ConversationLock } from './conversation-lock.ts';

const leaseMs = 9_000;
const place = { agentId: 'a', conversationId: 'c1', userId: 'ada' };
const request = { ...place, id: 'lock-1', leaseMs, policy: 'queue', signal: undefined, waitMs: 1_000 } as const;

afterEach(() => {
  vi.useRealTimers();
});

it('renews a lock in time although the store answered late', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const clock = fixedClock();
  const store = new InMemoryStreamStore(clock);
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await vi.advanceTimersByTimeAsync(ms);
  };
  const begin = store.begin.bind(store);
  vi.spyOn(store, 'begin').mockImplementation(async (...args) => {
    const outcome = await begin(...args);
    clock.advance((leaseMs * 2) / 3);
    return outcome;
  });
  const onStop = vi.fn<() => void>();

  await new ConversationLock(store, clock).run(request, async (lock) => {
    lock?.onStop(onStop);
    for (let times = 0; times < 4; times += 1) await pass(leaseMs / 3);
    expect(await store.findLive('anyone', { ...place, conversationId: 'c1 lock' })).toMatchObject({ id: 'lock-1' });
    await lock?.release();
  });

  expect(onStop).not.toHaveBeenCalled();
});
