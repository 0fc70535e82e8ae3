import { once } from 'node:events';
import { setImmediate as nextTick } from 'node:timers/promises';
import type { StreamStore } from '@halyard/contracts';
import { HalyardError } from '@halyard/contracts';
import { InMemoryStreamStore } from '@halyard/memory-in-memory';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { UIMessageChunk } from '../../model/messages/message.ts';
import { fixedClock, sequentialIds, silentLogger } from '../../testing/index.ts';
import { type ChatChunks, ResumableChats, type ResumableChatsOptions } from './resumable-chats.ts';

const place = { agentId: 'poet', conversationId: 'c1' };
const question = {
  ...place,
  userId: 'ada',
  callerKey: 'user:ada',
  policy: 'reject',
  extendedMessage: undefined,
} as const;
const { signal: connected } = new AbortController();
const text = (delta: string): UIMessageChunk => ({ type: 'text-delta', id: 't', delta });
const minute = 60_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

function open(options: Partial<ResumableChatsOptions> = {}) {
  const clock = fixedClock();
  const store = new InMemoryStreamStore(clock);
  const released: string[] = [];
  const warnings: object[] = [];
  const answers = new ResumableChats({
    store,
    durable: { follow: () => Promise.resolve(undefined) },
    clock,
    ids: sequentialIds(),
    logger: { ...silentLogger, warn: (fields) => warnings.push(fields) },
    leaseMs: 9_000,
    queueWaitMs: minute,
    isDraining: () => false,
    shutdownError: () => new HalyardError('unavailable', 'SHUTTING_DOWN', 'The server is shutting down'),
    reserve: (key) => () => released.push(key),
    describeFailure: (error, id) => `${id}: ${String(error)}`,
    ...options,
  });
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await vi.advanceTimersByTimeAsync(ms);
  };
  return { answers, clock, pass, released, store, warnings };
}

async function* batches(...all: readonly (readonly UIMessageChunk[])[]): AsyncGenerator<readonly UIMessageChunk[]> {
  yield* all;
}

async function readAll(chunks: ChatChunks | undefined): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const batch of chunks ?? []) all.push(...batch.map((chunk) => JSON.parse(chunk) as unknown));
  return all;
}

/** Starts a reply that is complete at once. */
const say = (answers: ResumableChats, ...chunks: readonly UIMessageChunk[]) =>
  answers.start(question, connected, () => Promise.resolve(batches(chunks)));

/** Waits without passing the time of the timers. */
async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await nextTick();
}

const idle = (answers: ResumableChats): Promise<void> => until(() => answers.count === 0);

describe('an answer that starts', () => {
  it('counts as one of its caller until it has ended', async () => {
    const { answers, released } = open();
    const source = Promise.withResolvers<void>();
    await answers.start(question, connected, async () =>
      (async function* () {
        await source.promise;
        yield [text('a')];
      })(),
    );
    expect([answers.count, released]).toEqual([1, []]);
    source.resolve();
    await idle(answers);
    expect(released).toEqual(['user:ada']);
  });

  it('throws the refusal of its agent, and leaves no stream and no count', async () => {
    const { answers, released, store } = open();
    const refused = answers.start(question, connected, () => Promise.reject(new TypeError('not accepted')));
    await expect(refused).rejects.toThrow('not accepted');
    await idle(answers);
    expect(released).toEqual(['user:ada']);
    expect(await store.findLive('anyone', place)).toBeUndefined();
  });

  it('counts no more when it does not get its turn', async () => {
    const { answers, pass, released, store } = open();
    await store.begin({ ...place, id: 'other', userId: 'ada' }, minute);
    const [refused] = await Promise.allSettled([say(answers), pass(5_000)]);
    expect(refused).toMatchObject({ reason: { code: 'CHAT_BUSY' } });
    expect([answers.count, released]).toEqual([0, ['user:ada']]);
  });

  it('describes the failure of its chunks with its id', async () => {
    const { answers, store } = open();
    const begin = vi.spyOn(store, 'begin');
    const failing = (async function* (): AsyncGenerator<readonly UIMessageChunk[]> {
      yield [];
      throw new Error('no model');
    })();
    const chunks = await readAll(await answers.start(question, connected, () => Promise.resolve(failing)));
    const id = begin.mock.calls[0]?.[0].id ?? '';
    expect(chunks).toEqual([{ type: 'error', errorText: `${id}: Error: no model` }]);
  });

  it('that continues a message stores it for readers that reconnect, and does not send it to its client', async () => {
    const { answers } = open();
    const source = Promise.withResolvers<void>();
    const extendedMessage = { id: 'm1', role: 'assistant' as const, parts: [{ type: 'text' as const, text: 'Roses' }] };
    const own = await answers.start({ ...question, extendedMessage }, connected, async () =>
      (async function* () {
        yield [text('a')];
        await source.promise;
      })(),
    );
    const again = await answers.find('anyone', place, connected);
    source.resolve();
    expect(await readAll(own)).toEqual([text('a')]);
    expect(await readAll(again)).toMatchObject([
      { type: 'start', messageId: 'm1' },
      { type: 'text-start' },
      { type: 'text-delta', delta: 'Roses' },
      { type: 'text-end' },
      text('a'),
    ]);
  });
});

describe('the live answer of a conversation', () => {
  it('is absent where there is none', async () => {
    const { answers } = open();
    expect(await answers.find('anyone', place, connected)).toBeUndefined();
    expect(await answers.stop('anyone', place)).toBe(false);
  });

  it('may be a durable one', async () => {
    const durable = batches([]) as unknown as ChatChunks;
    const follow = vi.fn<ResumableChatsOptions['durable']['follow']>().mockResolvedValue(durable);
    const { answers, store } = open({ durable: { follow } });
    const id = 'answer.7f1c.1';
    await store.begin({ ...place, id, userId: 'ada' }, 9_000);
    expect(await answers.find('anyone', place, connected)).toBe(durable);
    expect(follow).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ id }),
      { ...place, owner: 'anyone' },
      connected,
    );
  });

  it('is the next one where the durable one has no answer', async () => {
    const { store: streams } = open();
    let asked = 0;
    const { answers, store } = open({
      store: streams,
      durable: {
        follow: async ({ id }) => {
          asked += 1;
          await streams.discard(id);
          return undefined;
        },
      },
    });
    expect(store).not.toBe(streams);
    await streams.begin({ ...place, id: 'answer.7f1c.1', userId: 'ada' }, 9_000);
    expect(await answers.find('anyone', place, connected)).toBeUndefined();
    expect(asked).toBe(1);
  });
});

describe('a shutdown', () => {
  const endless = (signal: AbortSignal): Promise<AsyncIterable<readonly UIMessageChunk[]>> =>
    Promise.resolve(
      (async function* () {
        yield [text('a')];
        if (!signal.aborted) await once(signal, 'abort');
        yield [{ type: 'abort' as const }];
      })(),
    );

  it('stops an answer a second before the grace ends', async () => {
    const { answers, pass } = open();
    let signal: AbortSignal | undefined;
    await answers.start(question, connected, (given) => endless((signal = given)));
    const drained = answers.drain(10_000);
    await pass(8_999);
    expect(signal?.aborted).toBe(false);
    await pass(1);
    expect(signal?.aborted).toBe(true);
    await pass(1_000);
    await drained;
    await idle(answers);
  });

  it('stops an answer after half of a short grace', async () => {
    const { answers, pass } = open();
    let signal: AbortSignal | undefined;
    await answers.start(question, connected, (given) => endless((signal = given)));
    const drained = answers.drain(1_000);
    await pass(499);
    expect(signal?.aborted).toBe(false);
    await pass(1);
    expect(signal?.aborted).toBe(true);
    await pass(1_000);
    await drained;
    await idle(answers);
  });

  it('deletes no ended answers any more', async () => {
    let isDraining = false;
    const { answers, pass, store } = open({ isDraining: () => isDraining });
    const purge = vi.spyOn(store, 'purge');
    await say(answers);
    await idle(answers);
    isDraining = true;
    await answers.drain(0);
    await pass(10 * minute);
    expect(purge).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('answers that have ended', () => {
  function purgedOf(store: StreamStore, ...counts: readonly number[]) {
    const purge = vi.spyOn(store, 'purge');
    for (const count of counts) purge.mockResolvedValueOnce(count);
    return purge;
  }

  it('are deleted each minute, until those of this process are five minutes old', async () => {
    const { answers, pass, store } = open();
    const purge = purgedOf(store);
    await say(answers);
    await idle(answers);
    expect(vi.getTimerCount()).toBe(1);
    await pass(minute - 1);
    expect(purge).not.toHaveBeenCalled();
    await pass(1);
    expect(purge).toHaveBeenCalledExactlyOnceWith(5 * minute, 500);
    await pass(minute);
    expect(purge).toHaveBeenCalledTimes(2);
    await pass(minute);
    await pass(minute);
    await pass(minute);
    await pass(minute);
    expect(purge).toHaveBeenCalledTimes(6);
    await pass(10 * minute);
    expect(purge).toHaveBeenCalledTimes(6);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('are deleted until a batch is not full', async () => {
    const { answers, pass, store } = open();
    const purge = purgedOf(store, 500, 500, 499);
    await say(answers);
    await idle(answers);
    await pass(minute);
    expect(purge).toHaveBeenCalledTimes(3);
  });

  it('are deleted by one timer for all answers', async () => {
    const { answers, pass, store } = open();
    const purge = purgedOf(store);
    await say(answers);
    await idle(answers);
    await say(answers);
    await idle(answers);
    expect(vi.getTimerCount()).toBe(1);
    await pass(minute);
    expect(purge).toHaveBeenCalledTimes(1);
  });

  it('are deleted by the next timer when the store fails', async () => {
    const { answers, pass, store, warnings } = open();
    const purge = vi.spyOn(store, 'purge').mockRejectedValueOnce(new Error('not reached'));
    await say(answers);
    await idle(answers);
    await pass(minute);
    expect(warnings).toMatchObject([{ err: { message: 'not reached' } }]);
    await pass(minute);
    expect(purge).toHaveBeenCalledTimes(2);
  });

  it('stay where the server shuts down meanwhile', async () => {
    let isDraining = false;
    const { answers, pass, store } = open({ isDraining: () => isDraining });
    const purge = vi.spyOn(store, 'purge').mockImplementation(() => {
      isDraining = true;
      return Promise.resolve(500);
    });
    await say(answers);
    await idle(answers);
    await pass(minute);
    await pass(minute);
    expect(purge).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('while the server shuts down start no timer', async () => {
    const { answers } = open({ isDraining: () => true });
    await say(answers);
    await idle(answers);
    expect(vi.getTimerCount()).toBe(0);
  });
});
