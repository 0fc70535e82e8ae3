import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EventLog } from './event-log.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'], now: 0 }));
afterEach(() => void vi.useRealTimers());

/** The one that fake timers do not replace. */
const nextTask = setTimeout;

/** A reply that consists of what a generator yields. */
function streamOf(pieces: AsyncGenerator<string | Uint8Array, void>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull: async (controller) => {
      const { done, value } = await pieces.next();
      if (done === true) controller.close();
      else controller.enqueue(typeof value === 'string' ? new TextEncoder().encode(value) : value);
    },
  });
}

const readReply = (...pieces: readonly (string | Uint8Array)[]): ReadableStream<Uint8Array> =>
  streamOf(
    (async function* () {
      for (const piece of pieces) yield await Promise.resolve(piece);
    })(),
  );

/** Server-sent events. */
const sse = (...chunks: readonly unknown[]): string =>
  chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('');

/** A reply whose pieces arrive at these times, in milliseconds after the start of the test. */
const arriving = (...pieces: readonly (readonly [at: number, piece: string])[]): ReadableStream<Uint8Array> =>
  streamOf(atTheirTimes(pieces));

async function* atTheirTimes(pieces: readonly (readonly [at: number, piece: string])[]): AsyncGenerator<string, void> {
  for (const [at, piece] of pieces) {
    vi.advanceTimersByTime(at - performance.now());
    yield piece;
    // Chunks that have arrived are read before the clock moves.
    await new Promise((resolve) => nextTask(resolve));
  }
}

const typesOf = (log: EventLog): readonly string[] => log.snapshot().events.map(({ type }) => type);

it('is empty at first', () => {
  expect(new EventLog().snapshot()).toEqual({ events: [], timings: {}, request: undefined });
});

it('lists the request, then the events of the server, with the time since the request', async () => {
  const log = new EventLog();
  vi.advanceTimersByTime(1_000);
  const read = log.begin('agents/a/chat', { input: 'Hi' }, 'trace-1');
  await read(arriving([1_050, sse({ type: 'start' })], [1_200, sse({ type: 'text-delta', delta: 'Hello' })]));
  expect(log.snapshot().events).toEqual([
    { index: 0, at: 0, type: 'request', data: { path: 'agents/a/chat', body: { input: 'Hi' } } },
    { index: 1, at: 50, type: 'start', data: { type: 'start' } },
    { index: 2, at: 200, type: 'text-delta', data: { type: 'text-delta', delta: 'Hello' } },
  ]);
  expect(log.snapshot().request).toEqual({ path: 'agents/a/chat', body: { input: 'Hi' } });
});

describe('reading', () => {
  it('joins lines and characters that arrive in pieces', async () => {
    const log = new EventLog();
    const bytes = new TextEncoder().encode(sse({ type: 'text-delta', delta: 'Zürich' }, { type: 'finish' }));
    await log.begin('x', {}, 't')(readReply(...[...bytes].map((byte) => Uint8Array.of(byte))));
    expect(
      log
        .snapshot()
        .events.slice(1)
        .map(({ data }) => data),
    ).toEqual([{ type: 'text-delta', delta: 'Zürich' }, { type: 'finish' }]);
  });

  it('ignores comments and other fields, and shows data that is no JSON or has no type', async () => {
    const log = new EventLog();
    await log.begin(
      'x',
      {},
      't',
    )(readReply(': ping\n\nid: 4\nevent: x\ndata:{"type":"a"}\n\n', 'data: [DONE]\n\n', sse(7, null, {}, { type: 3 })));
    expect(typesOf(log)).toEqual(['request', 'a', '[DONE]', '7', 'null', 'undefined', '3']);
  });

  it('says that the connection was lost, and keeps what arrived', async () => {
    const log = new EventLog();
    const lost = (async function* (): AsyncGenerator<string, void> {
      yield sse({ type: 'start', messageId: 'm' });
      await Promise.resolve();
      throw new Error('network error');
    })();
    await log.begin('x', {}, 't')(streamOf(lost));
    expect(log.snapshot().events.at(-1)).toMatchObject({ type: 'connection lost', data: 'Error: network error' });
    expect(log.snapshot().timings['m']).toMatchObject({ traceId: 't', totalMs: 0 });
  });
});

describe('timings', () => {
  it.each(['text-delta', 'reasoning-delta', 'tool-input-start'])('measure the first %s and the end', async (type) => {
    const log = new EventLog();
    await log.begin(
      'x',
      {},
      't',
    )(arriving([10, sse({ type: 'start', messageId: 'm' })], [300, sse({ type })], [400, sse({ type })], [900, '\n']));
    expect(log.snapshot().timings).toEqual({ m: { traceId: 't', firstMs: 300, totalMs: 900 } });
  });

  it('have no first moment if the model said nothing', async () => {
    const log = new EventLog();
    await log.begin('x', {}, 't')(readReply(sse({ type: 'start', messageId: 'm' }, { type: 'finish' })));
    expect(log.snapshot().timings).toEqual({ m: { traceId: 't', firstMs: undefined, totalMs: 0 } });
  });

  it('are missing for an answer without a message', async () => {
    const log = new EventLog();
    await log.begin('x', {}, 't')(readReply(sse({ type: 'start' }, { type: 'text-delta', messageId: 'm' })));
    expect(log.snapshot().timings).toEqual({});
  });

  it('are those of the last request that continued a message', async () => {
    const log = new EventLog();
    const start = sse({ type: 'start', messageId: 'm' });
    await log.begin('x', {}, 'one')(arriving([10, start], [20, sse({ type: 'text-delta' })]));
    const read = log.begin('x', {}, 'two');
    await read(arriving([50, start], [80, sse({ type: 'text-delta' })]));
    expect(log.snapshot().timings).toEqual({ m: { traceId: 'two', firstMs: 60, totalMs: 60 } });
  });

  it('are kept for each message', async () => {
    const log = new EventLog();
    for (const id of ['a', 'b']) await log.begin('x', {}, id)(readReply(sse({ type: 'start', messageId: id })));
    expect(Object.keys(log.snapshot().timings)).toEqual(['a', 'b']);
  });
});

describe('listeners', () => {
  it('are told at most every 100 ms, and at the end of an answer', async () => {
    const log = new EventLog();
    const listener = vi.fn<() => void>();
    log.subscribe(listener);
    const read = log.begin('x', {}, 't');
    expect(log.snapshot().events).toEqual([]);
    vi.advanceTimersByTime(99);
    expect(listener).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(listener).toHaveBeenCalledTimes(1);
    expect(typesOf(log)).toEqual(['request']);
    await read(readReply(sse({ type: 'a' }, { type: 'b' })));
    expect(listener).toHaveBeenCalledTimes(2);
    vi.advanceTimersByTime(1_000);
    expect(listener).toHaveBeenCalledTimes(2);
  });

  it('are told no more once they unsubscribed', () => {
    const log = new EventLog();
    const listener = vi.fn<() => void>();
    const unsubscribe = log.subscribe(listener);
    unsubscribe();
    log.clear();
    expect(listener).not.toHaveBeenCalled();
  });

  it('see another state only when something changed', () => {
    const log = new EventLog();
    log.begin('x', {}, 't');
    const before = log.snapshot();
    expect(log.snapshot()).toBe(before);
    log.clear();
    expect(log.snapshot()).not.toBe(before);
  });
});

it('keeps the last request and the numbering when it is cleared', () => {
  const log = new EventLog();
  log.begin('one', {}, 't');
  log.clear();
  expect(log.snapshot()).toMatchObject({ events: [], request: { path: 'one' } });
  log.begin('two', {}, 't');
  vi.runAllTimers();
  expect(log.snapshot().events.map(({ index }) => index)).toEqual([1]);
});

it('drops the oldest half when there are more than 20 000 events', async () => {
  const log = new EventLog();
  const chunk = sse({ type: 'x' });
  await log.begin('x', {}, 't')(readReply(chunk.repeat(19_999)));
  expect(log.snapshot().events).toHaveLength(20_000);
  await log.begin('y', {}, 't')(readReply(''));
  expect(log.snapshot().events).toHaveLength(10_000);
  expect(log.snapshot().events.at(-1)).toMatchObject({ index: 20_000, type: 'request' });
});
