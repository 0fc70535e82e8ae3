import { getEventListeners } from 'node:events';
import { InMemoryStreamStore } from '@halyard/memory-in-memory';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fixedClock } from '../../testing/fixed-clock.ts';
import type { ConversationTurn } from './conversation-turn.ts';
import { TurnQueue, type TurnRequest } from './turn-queue.ts';

const place = { agentId: 'a', conversationId: 'c1', userId: 'ada' };

/** Two processes on one store. */
function setUp() {
  const clock = fixedClock();
  const store = new InMemoryStreamStore(clock);
  const [queue, other] = [new TurnQueue(store, clock), new TurnQueue(store, clock)];
  let ids = 0;
  const request = (given: Partial<TurnRequest> = {}): TurnRequest => {
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
  /** Ends a turn with its stream. */
  const end = async (turn: ConversationTurn): Promise<void> => {
    await store.discard((await live()) ?? '');
    turn.end();
  };
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await vi.advanceTimersByTimeAsync(ms);
  };
  return { clock, end, live, other, pass, queue, request, store };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
});

afterEach(() => {
  vi.useRealTimers();
});

describe('a turn', () => {
  it('begins at once where nobody has it, and leaves no timer', async () => {
    const { clock, live, queue, request } = setUp();
    clock.advance(7);
    const turn = await queue.take(request());
    expect([turn.leasedAt, turn.hasEnded, await live()]).toEqual([7, false, 's1']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('begins in order of arrival, those of other conversations and users at the same time', async () => {
    const { end, live, queue, request } = setUp();
    const first = await queue.take(request());
    const order: string[] = [];
    const next = async (name: string): Promise<void> => {
      const turn = await queue.take(request());
      order.push(name);
      await end(turn);
    };
    const waiting = [next('second'), next('third')];
    await queue.take(request({ stream: { ...place, conversationId: 'c2', id: 'o1' } }));
    await queue.take(request({ stream: { ...place, userId: 'bob', id: 'o2' } }));
    expect([order, await live()]).toEqual([[], 's1']);
    await end(first);
    await Promise.all(waiting);
    expect(order).toEqual(['second', 'third']);
    await queue.take(request());
    expect(vi.getTimerCount()).toBe(0);
  });

  it('begins after that of another process, when this has ended or its lease has', async () => {
    const { clock, end, other, pass, queue, request } = setUp();
    const theirs = await other.take(request());
    const second = queue.take(request());
    await pass(250);
    await end(theirs);
    await pass(1_000);
    const turn = await second;
    expect(turn.leasedAt).toBeGreaterThan(0);
    const third = other.take(request({ waitMs: Infinity }));
    await pass(9_000);
    clock.advance(1_000);
    await pass(1_000);
    expect((await third).hasEnded).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('goes to the next request where the store fails', async () => {
    const { queue, request, store } = setUp();
    vi.spyOn(store, 'begin').mockRejectedValueOnce(new Error('away'));
    const [first, second] = await Promise.allSettled([queue.take(request()), queue.take(request())]);
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
    const { end, other, pass, queue, request } = setUp();
    const first = await queue.take(request());
    const results: unknown[] = [];
    for (const one of [queue, other])
      one.take(request({ policy, waitMs })).catch((reason: unknown) => results.push(reason));
    await pass(afterMs - 1);
    expect(results).toEqual([]);
    await pass(251);
    expect(results).toMatchObject([error, error]);
    await end(first);
    expect((await queue.take(request())).hasEnded).toBe(false);
  });

  it('leaves when its caller does, and the next one has its turn', async () => {
    const { end, other, pass, queue, request } = setUp();
    const first = await queue.take(request());
    const leaving = new AbortController();
    const { signal } = leaving;
    const [here, there] = [queue.take(request({ signal })), other.take(request({ signal }))];
    const next = queue.take(request());
    leaving.abort(new Error('gone'));
    await expect(here).rejects.toMatchObject({ code: 'ABORTED' });
    await expect(there).rejects.toMatchObject({ code: 'ABORTED' });
    await expect(queue.take(request({ signal }))).rejects.toMatchObject({ code: 'ABORTED' });
    await end(first);
    await pass(1);
    expect((await next).hasEnded).toBe(false);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is refused where 50 others wait, unless it waits without a limit', async () => {
    const { queue, request } = setUp();
    await queue.take(request());
    const waiting = Array.from({ length: 50 }, () => queue.take(request()));
    await expect(queue.take(request())).rejects.toMatchObject({
      kind: 'conflict',
      code: 'CHAT_BUSY',
      message: '50 requests wait for conversation "c1" already: wait for their answers',
    });
    const patient = queue.take(request({ waitMs: Infinity }));
    queue.close(new Error('shutting down'));
    const results = await Promise.allSettled([...waiting, patient]);
    expect(new Set(results.map((one) => (one.status === 'rejected' ? String(one.reason) : one.status)))).toEqual(
      new Set(['Error: shutting down']),
    );
  });

  it('ends at a shutdown, also one that comes later; one that need not wait begins', async () => {
    const { end, other, queue, request } = setUp();
    const first = await queue.take(request());
    queue.close(new Error('shutting down'));
    await expect(queue.take(request())).rejects.toThrow('shutting down');
    await end(first);
    const turn = await queue.take(request());
    other.close(new Error('shutting down'));
    await expect(other.take(request())).rejects.toThrow('shutting down');
    expect(turn.hasEnded).toBe(false);
  });
});

describe('a request that interrupts', () => {
  it('stops the answer of this process, that which goes on and that which begins', async () => {
    const { end, queue, request } = setUp();
    const first = await queue.take(request());
    const stops: string[] = [];
    first.onStop((why) => stops.push(`first ${why}`));
    const second = queue.take(request());
    const third = queue.take(request({ policy: 'interrupt' }));
    expect(stops).toEqual(['first interrupted']);
    await end(first);
    const turn = await second;
    turn.onStop((why) => stops.push(`second ${why}`));
    expect(stops).toEqual(['first interrupted', 'second interrupted']);
    await end(turn);
    (await third).onStop((why) => stops.push(`third ${why}`));
    expect(stops).toHaveLength(2);
  });

  it('stops no answer with another policy', async () => {
    const { queue, request } = setUp();
    const first = await queue.take(request());
    const stop = vi.fn<() => void>();
    first.onStop(stop);
    queue.take(request()).catch(() => {});
    queue.take(request({ policy: 'reject' })).catch(() => {});
    expect(stop).not.toHaveBeenCalled();
  });

  it.each([
    ['ada', { user: 'ada' }],
    [undefined, 'anyone'],
  ] as const)('asks another process once to stop an answer of %s', async (userId, owner) => {
    const { other, pass, queue, request, store } = setUp();
    const requestStop = vi.spyOn(store, 'requestStop');
    const stream = (id: string) => ({ ...place, userId, id });
    await other.take(request({ stream: stream('theirs') }));
    queue.take(request({ stream: stream('own'), policy: 'interrupt' })).catch(() => {});
    await pass(2_000);
    expect(requestStop.mock.calls).toEqual([[owner, expect.objectContaining({ id: 'theirs' })]]);
    await store.discard('theirs');
    await pass(1_000);
    expect(await store.findLive(owner, place)).toMatchObject({ id: 'own' });
  });

  it('does not stop that of another process with the policy queue', async () => {
    const { other, pass, queue, request, store } = setUp();
    const requestStop = vi.spyOn(store, 'requestStop');
    await other.take(request());
    queue.take(request()).catch(() => {});
    await pass(2_000);
    expect(requestStop).not.toHaveBeenCalled();
  });
});
