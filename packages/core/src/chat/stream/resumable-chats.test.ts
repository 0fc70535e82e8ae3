import { getEventListeners } from 'node:events';
import { HalyardError, type StreamStore } from '@halyard/contracts';
import { InMemoryStreamStore } from '@halyard/memory-in-memory';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { randomIds } from '../../agent/default-services.ts';
import type { UIMessageChunk } from '../../model/messages/message.ts';
import { fixedClock, silentLogger } from '../../testing/index.ts';
import { type ChatChunks, ResumableChats, type ResumableChatsOptions } from './resumable-chats.ts';

const leaseMs = 9_000;
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

/** Sends the chunks that a test gives it, until its signal is aborted. */
class TestRun {
  signal: AbortSignal | undefined;
  #chunks: UIMessageChunk[] = [];
  #hasEnded = false;
  #wake = (): void => {};

  readonly start = async (signal: AbortSignal): Promise<AsyncIterable<readonly UIMessageChunk[]>> => {
    this.signal = signal;
    signal.addEventListener('abort', () => {
      this.send({ type: 'abort' });
      this.end();
    });
    return this.#batches();
  };

  send(...chunks: readonly UIMessageChunk[]): void {
    this.#chunks.push(...chunks);
    this.#wake();
  }

  end(): void {
    this.#hasEnded = true;
    this.#wake();
  }

  async *#batches(): AsyncGenerator<readonly UIMessageChunk[]> {
    for (;;) {
      if (this.#chunks.length > 0) yield this.#chunks.splice(0);
      else if (this.#hasEnded) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}

const clock = fixedClock();

function answersOn(store: StreamStore, options: Partial<ResumableChatsOptions> = {}): ResumableChats {
  return new ResumableChats({
    store,
    durable: { follow: () => Promise.resolve(undefined) },
    clock,
    ids: randomIds,
    logger: silentLogger,
    leaseMs,
    queueWaitMs: 60_000,
    isDraining: () => false,
    shutdownError: () => new HalyardError('unavailable', 'SHUTTING_DOWN', 'The server is shutting down'),
    reserve: () => () => {},
    describeFailure: String,
    ...options,
  });
}

/** All chunks until the end. */
async function readAll(batches: ChatChunks | undefined): Promise<UIMessageChunk[]> {
  const chunks: UIMessageChunk[] = [];
  for await (const batch of batches ?? []) for (const chunk of batch) chunks.push(JSON.parse(chunk) as UIMessageChunk);
  return chunks;
}

/** Advances the clock and the timers. */
async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 250) {
    clock.advance(250);
    await vi.advanceTimersByTimeAsync(250);
  }
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

describe('the lease of an answer', () => {
  it('is renewed while no chunk is sent, with one timer for all answers', async () => {
    const store = new InMemoryStreamStore(clock);
    const answers = answersOn(store);
    const append = vi.spyOn(store, 'append');
    const runs = Array.from({ length: 5 }, () => new TestRun());
    const readers = await Promise.all(
      runs.map((run, at) => answers.start({ ...question, conversationId: `c${at}` }, connected, run.start)),
    );
    expect(vi.getTimerCount()).toBe(1);
    await pass(4 * leaseMs);
    expect(append.mock.calls.length).toBeLessThanOrEqual(5 * 13);
    for (const [at, run] of runs.entries()) {
      expect(await store.findLive('anyone', { ...place, conversationId: `c${at}` })).toBeDefined();
      run.send(text('still here'));
      run.end();
    }
    for (const reader of readers) expect(await readAll(reader)).toEqual([text('still here')]);
    expect(answers.count).toBe(0);
  });

  it('is renewed in time although the store answered late when it was granted', async () => {
    const store = new InMemoryStreamStore(clock);
    const begin = store.begin.bind(store);
    vi.spyOn(store, 'begin').mockImplementation(async (...args) => {
      const outcome = await begin(...args);
      clock.advance((leaseMs * 2) / 3);
      return outcome;
    });
    const run = new TestRun();
    const reader = await answersOn(store).start(question, connected, run.start);
    await pass(leaseMs);
    expect(run.signal?.aborted).toBe(false);
    run.send(text('in time'));
    run.end();
    expect(await readAll(reader)).toEqual([text('in time')]);
  });

  it.each([3_600_000, -3_600_000])('is kept when the time of the computer jumps by %i ms', async (jumpMs) => {
    const store = new InMemoryStreamStore(clock);
    const run = new TestRun();
    const reader = await answersOn(store).start(question, connected, run.start);
    clock.jump(jumpMs);
    await pass(500);
    expect(run.signal?.aborted).toBe(false);
    expect(await store.findLive('anyone', place)).toBeDefined();
    run.send(text('still here'));
    run.end();
    expect(await readAll(reader)).toEqual([text('still here')]);
  });

  it('runs out when the store fails: the answer is aborted, and its readers get an error', async () => {
    const store = new InMemoryStreamStore(clock);
    const run = new TestRun();
    const reader = await answersOn(store).start(question, connected, run.start);
    vi.spyOn(store, 'append').mockRejectedValue(new Error('no connection'));
    await pass(leaseMs - 500);
    expect(run.signal?.aborted).toBe(false);
    await pass(1_000);
    expect(run.signal?.aborted).toBe(true);
    await expect(readAll(reader)).rejects.toMatchObject({ code: 'ANSWER_LOST' });
  });

  it('runs out when its process dies: its readers get an error, although the store reports no change', async () => {
    const store = new InMemoryStreamStore(clock);
    await store.begin({ ...place, id: 's1', userId: 'ada' }, leaseMs);
    await store.append('s1', { after: 0, chunks: [JSON.stringify(text('Roses'))] }, leaseMs);
    const answer = await answersOn(store).find({ user: 'ada' }, place, connected);
    const reader = answer?.[Symbol.asyncIterator]();
    expect(await reader?.next()).toEqual({ done: false, value: [JSON.stringify(text('Roses'))] });
    const [next] = await Promise.allSettled([reader?.next(), pass(leaseMs + 3_250)]);
    expect(next).toMatchObject({ status: 'rejected', reason: { code: 'ANSWER_LOST' } });
  });

  it('is lost when the user is deleted, and the answer is aborted', async () => {
    const store = new InMemoryStreamStore(clock);
    const run = new TestRun();
    const reader = await answersOn(store).start(question, connected, run.start);
    await store.deleteUser('ada');
    await pass(500);
    expect(run.signal?.aborted).toBe(true);
    await expect(readAll(reader)).rejects.toMatchObject({ code: 'ANSWER_LOST' });
  });
});

describe('the chunks of an answer', () => {
  it('are stored once and in order by a store that fails before or after it writes', async () => {
    const store = new InMemoryStreamStore(clock);
    const append = store.append.bind(store);
    let calls = 0;
    vi.spyOn(store, 'append').mockImplementation(async (...args) => {
      calls += 1;
      if (calls % 3 === 1) throw new Error('not reached');
      const outcome = await append(...args);
      if (calls % 3 === 2) throw new Error('the answer was lost');
      return outcome;
    });
    const run = new TestRun();
    const reader = await answersOn(store).start(question, connected, run.start);
    const all = readAll(reader);
    const words = Array.from({ length: 20 }, (_, at) => text(`word ${at}`));
    for (const word of words) {
      run.send(word);
      await pass(250);
    }
    run.end();
    await vi.waitFor(
      async () => {
        await pass(250);
        expect(await store.findLive('anyone', place)).toBeUndefined();
      },
      { timeout: 120_000 },
    );
    expect(await all).toEqual(words);
  });

  it('are written together when they are sent together', async () => {
    const store = new InMemoryStreamStore(clock);
    const append = vi.spyOn(store, 'append');
    const run = new TestRun();
    const reader = await answersOn(store).start(question, connected, run.start);
    for (let at = 0; at < 100; at += 1) run.send(text(`${at}`));
    run.end();
    expect(await readAll(reader)).toHaveLength(100);
    expect(append).toHaveBeenCalledTimes(1);
  });

  it('are read in batches of at most 64 KiB, each when the reader requests it', async () => {
    const store = new InMemoryStreamStore(clock);
    const chunk = JSON.stringify(text('x'.repeat(10_000)));
    await store.begin({ ...place, id: 's1', userId: 'ada' }, leaseMs);
    await store.append('s1', { after: 0, chunks: Array.from({ length: 500 }, () => chunk) }, leaseMs);
    const read = vi.spyOn(store, 'read');
    const reader = await answersOn(store).find('anyone', place, connected);
    await store.end('s1', { after: 500, chunks: [] });
    let count = 0;
    for await (const batch of reader ?? []) {
      expect(batch.join('').length).toBeLessThanOrEqual(64 * 1024);
      count += batch.length;
      expect(read.mock.calls.length).toBeLessThanOrEqual(count);
    }
    expect(count).toBe(500);
  });
});

describe('a request to stop', () => {
  it('ends an answer that has no chunk yet', async () => {
    const store = new InMemoryStreamStore(clock);
    const answers = answersOn(store);
    const opening = answers.start(
      question,
      connected,
      (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')))),
    );
    await pass(500);
    expect(await answers.stop({ user: 'ada' }, place)).toBe(true);
    await pass(500);
    expect(await readAll(await opening)).toEqual([{ type: 'abort' }]);
  });
});

describe('a shutdown', () => {
  it('refuses the answers that wait for their turn', async () => {
    const answers = answersOn(new InMemoryStreamStore(clock));
    const [live, waiting] = [new TestRun(), new TestRun()];
    const reader = await answers.start(question, connected, live.start);
    const refused = answers.start({ ...question, policy: 'queue' }, connected, waiting.start);
    const drained = answers.drain(200);
    await expect(refused).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
    live.end();
    expect(await readAll(reader)).toEqual([]);
    await drained;
    expect(waiting.signal).toBeUndefined();
  });

  it('waits for answers, and stops those that outlast the grace with the reason', async () => {
    const answers = answersOn(new InMemoryStreamStore(clock));
    const [short, long] = [new TestRun(), new TestRun()];
    const readers = [
      readAll(await answers.start(question, connected, short.start)),
      readAll(await answers.start({ ...question, conversationId: 'c2' }, connected, long.start)),
    ];
    const drained = answers.drain(200);
    short.send(text('done'));
    short.end();
    await drained;
    expect(await Promise.all(readers)).toEqual([
      [text('done')],
      [{ type: 'abort', reason: 'The server is shutting down' }],
    ]);
    expect(answers.count).toBe(0);
  });
});

describe('answers without a reader', () => {
  it('stay reserved for their caller until they end', async () => {
    let reserved = 0;
    const reserve = (): (() => void) => {
      if (reserved === 2) throw new HalyardError('rate-limited', 'TOO_MANY_STREAMS', 'You have 2 open streams');
      reserved += 1;
      return () => (reserved -= 1);
    };
    const answers = answersOn(new InMemoryStreamStore(clock), { reserve });
    const runs = [new TestRun(), new TestRun()];
    for (const [at, run] of runs.entries())
      await answers.start({ ...question, conversationId: `c${at}` }, connected, run.start);
    const third = answers.start({ ...question, conversationId: 'third' }, connected, new TestRun().start);
    await expect(third).rejects.toMatchObject({ code: 'TOO_MANY_STREAMS' });
    for (const run of runs) run.end();
    await vi.waitFor(() => expect(answers.count).toBe(0), { timeout: 120_000 });
    expect(reserved).toBe(0);
  });
});

describe('a reader that disconnects', () => {
  it('is released at once while it waits for a chunk, and the answer continues', async () => {
    const store = new InMemoryStreamStore(clock);
    const answers = answersOn(store);
    const run = new TestRun();
    const leaving = new AbortController();
    const reader = readAll(await answers.start(question, leaving.signal, run.start));
    await pass(250);
    leaving.abort();
    expect(await reader).toEqual([]);
    expect(getEventListeners(leaving.signal, 'abort')).toEqual([]);
    run.send(text('still here'));
    run.end();
    await vi.waitFor(() => expect(answers.count).toBe(0), { timeout: 120_000 });
  });
});
