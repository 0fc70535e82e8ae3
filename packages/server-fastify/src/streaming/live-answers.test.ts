import type { StreamStore } from '@halyard/contracts';
import { randomIds } from '@halyard/core';
import { fixedClock, silentLogger } from '@halyard/core/testing';
import { InMemoryStreamStore } from '@halyard/memory-in-memory';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { EventSource } from '../define/define-stream.ts';
import { defaultLimits } from '../limits.ts';
import type { UiMessageChunk } from '../schemas/ui-message-chunk.ts';
import { LiveAnswers, type LiveAnswersOptions, type StartedAnswer } from './live-answers.ts';

const leaseMs = 9_000;
const place = { agentId: 'poet', conversationId: 'c1' };
const asked = { ...place, userId: 'ada', callerKey: 'user:ada', policy: 'reject' } as const;
const { signal: present } = new AbortController();
const say = (delta: string): UiMessageChunk => ({ type: 'text-delta', id: 't', delta });

/** Says what a test has it say, until its signal is aborted. */
class Speaker implements EventSource<UiMessageChunk> {
  signal: AbortSignal | undefined;
  #said: UiMessageChunk[] = [];
  #isDone = false;
  #wake = (): void => {};

  readonly start = async (signal: AbortSignal): Promise<StartedAnswer> => {
    this.signal = signal;
    signal.addEventListener('abort', () => {
      this.say({ type: 'abort' });
      this.end();
    });
    return { source: this, before: [] };
  };

  say(...chunks: readonly UiMessageChunk[]): void {
    this.#said.push(...chunks);
    this.#wake();
  }

  end(): void {
    this.#isDone = true;
    this.#wake();
  }

  async nextBatch(): Promise<readonly UiMessageChunk[] | undefined> {
    while (this.#said.length === 0) {
      if (this.#isDone) return undefined;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    return this.#said.splice(0);
  }

  cancel(): void {}
}

const clock = fixedClock();

function answersOn(store: StreamStore, options: Partial<LiveAnswersOptions> = {}): LiveAnswers {
  return new LiveAnswers({
    store,
    clock,
    ids: randomIds,
    logger: silentLogger,
    leaseMs,
    limits: defaultLimits,
    isDraining: () => false,
    ...options,
  });
}

/** All chunks until the end. */
async function readAll(source: EventSource<string> | undefined): Promise<UiMessageChunk[]> {
  const chunks: UiMessageChunk[] = [];
  for (let batch = await source?.nextBatch(); batch !== undefined; batch = await source?.nextBatch()) {
    for (const chunk of batch) chunks.push(JSON.parse(chunk) as UiMessageChunk);
    if (source?.isOver === true) break;
  }
  return chunks;
}

/** Lets time pass by the clock and by the timer of the process. */
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
  it('is held while nothing is said, and by one timer for all of them', async () => {
    const store = new InMemoryStreamStore(clock);
    const answers = answersOn(store);
    const append = vi.spyOn(store, 'append');
    const speakers = Array.from({ length: 5 }, () => new Speaker());
    const readers = await Promise.all(
      speakers.map((speaker, at) => answers.open({ ...asked, conversationId: `c${at}` }, present, speaker.start)),
    );
    expect(vi.getTimerCount()).toBe(1);
    await pass(4 * leaseMs);
    expect(append.mock.calls.length).toBeLessThanOrEqual(5 * 13);
    for (const [at, speaker] of speakers.entries()) {
      expect(await store.findLive('anyone', { ...place, conversationId: `c${at}` })).toBeDefined();
      speaker.say(say('still here'));
      speaker.end();
    }
    for (const reader of readers) expect(await readAll(reader)).toEqual([say('still here')]);
    expect(answers.count).toBe(0);
  });

  it('is lost with the store: the answer is aborted, and its readers are told', async () => {
    const store = new InMemoryStreamStore(clock);
    const speaker = new Speaker();
    const reader = await answersOn(store).open(asked, present, speaker.start);
    vi.spyOn(store, 'append').mockRejectedValue(new Error('no connection'));
    await pass(leaseMs - 500);
    expect(speaker.signal?.aborted).toBe(false);
    await pass(1_000);
    expect(speaker.signal?.aborted).toBe(true);
    await expect(readAll(reader)).rejects.toMatchObject({ code: 'ANSWER_LOST' });
  });

  it('ends with a process: who follows is told, although nothing is heard any more', async () => {
    const store = new InMemoryStreamStore(clock);
    await store.begin({ ...place, id: 's1', userId: 'ada' }, leaseMs);
    await store.append('s1', { after: 0, chunks: [JSON.stringify(say('Roses'))] }, leaseMs);
    const reader = await answersOn(store).find({ user: 'ada' }, place);
    expect(await reader?.nextBatch()).toEqual([JSON.stringify(say('Roses'))]);
    const [next] = await Promise.allSettled([reader?.nextBatch(), pass(leaseMs + 3_250)]);
    expect(next).toMatchObject({ status: 'rejected', reason: { code: 'ANSWER_LOST' } });
  });

  it('is gone when the user is deleted, and with it the answer', async () => {
    const store = new InMemoryStreamStore(clock);
    const speaker = new Speaker();
    const reader = await answersOn(store).open(asked, present, speaker.start);
    await store.deleteUser('ada');
    await pass(500);
    expect(speaker.signal?.aborted).toBe(true);
    await expect(readAll(reader)).rejects.toMatchObject({ code: 'ANSWER_LOST' });
  });
});

describe('what is said', () => {
  it('is kept once, in its order, by a store that fails before and after it writes', async () => {
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
    const speaker = new Speaker();
    const reader = await answersOn(store).open(asked, present, speaker.start);
    const all = readAll(reader);
    const words = Array.from({ length: 20 }, (_, at) => say(`word ${at}`));
    for (const word of words) {
      speaker.say(word);
      await pass(250);
    }
    speaker.end();
    await vi.waitFor(async () => {
      await pass(250);
      expect(await store.findLive('anyone', place)).toBeUndefined();
    });
    expect(await all).toEqual(words);
  });

  it('is written together where it is said together', async () => {
    const store = new InMemoryStreamStore(clock);
    const append = vi.spyOn(store, 'append');
    const speaker = new Speaker();
    const reader = await answersOn(store).open(asked, present, speaker.start);
    for (let at = 0; at < 100; at += 1) speaker.say(say(`${at}`));
    speaker.end();
    expect(await readAll(reader)).toHaveLength(100);
    expect(append).toHaveBeenCalledTimes(1);
  });

  it('is handed out in pieces of 64 KiB, and the next is read when it is asked for', async () => {
    const store = new InMemoryStreamStore(clock);
    const chunk = JSON.stringify(say('x'.repeat(10_000)));
    await store.begin({ ...place, id: 's1', userId: 'ada' }, leaseMs);
    await store.append('s1', { after: 0, chunks: Array.from({ length: 500 }, () => chunk) }, leaseMs);
    const read = vi.spyOn(store, 'read');
    const reader = await answersOn(store).find('anyone', place);
    await store.end('s1', { after: 500, chunks: [] });
    let count = 0;
    for (let batch = await reader?.nextBatch(); batch !== undefined; batch = await reader?.nextBatch()) {
      expect(batch.join('').length).toBeLessThanOrEqual(64 * 1024);
      count += batch.length;
      expect(read.mock.calls.length).toBeLessThanOrEqual(count);
    }
    expect(count).toBe(500);
  });
});

describe('a wish to stop', () => {
  it('ends an answer that has not begun to speak', async () => {
    const store = new InMemoryStreamStore(clock);
    const answers = answersOn(store);
    const opening = answers.open(
      asked,
      present,
      (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')))),
    );
    await pass(500);
    expect(await answers.stop({ user: 'ada' }, place)).toBe(true);
    await pass(500);
    expect(await readAll(await opening)).toEqual([{ type: 'abort' }]);
  });
});

describe('the end of the process', () => {
  it('waits for answers, and stops those that take too long, saying why', async () => {
    const answers = answersOn(new InMemoryStreamStore(clock));
    const [short, long] = [new Speaker(), new Speaker()];
    const readers = [
      readAll(await answers.open(asked, present, short.start)),
      readAll(await answers.open({ ...asked, conversationId: 'c2' }, present, long.start)),
    ];
    const drained = answers.drain(200);
    short.say(say('done'));
    short.end();
    await drained;
    expect(await Promise.all(readers)).toEqual([
      [say('done')],
      [{ type: 'abort', reason: 'The server is shutting down' }],
    ]);
    expect(answers.count).toBe(0);
  });
});

describe('answers that nobody reads', () => {
  it('count for who asked for them', async () => {
    const limits = { ...defaultLimits, streamsPerCaller: 2 };
    const answers = answersOn(new InMemoryStreamStore(clock), { limits });
    const speakers = [new Speaker(), new Speaker()];
    for (const [at, speaker] of speakers.entries())
      (await answers.open({ ...asked, conversationId: `c${at}` }, present, speaker.start)).cancel();
    const more = answers.open({ ...asked, conversationId: 'more' }, present, new Speaker().start);
    await expect(more).rejects.toMatchObject({ code: 'TOO_MANY_STREAMS' });
    for (const speaker of speakers) speaker.end();
    await vi.waitFor(() => expect(answers.count).toBe(0));
    const last = new Speaker();
    const reader = await answers.open(asked, present, last.start);
    last.end();
    expect(await readAll(reader)).toEqual([]);
    await vi.waitFor(() => expect(answers.count).toBe(0));
  });
});
