import type { StreamStore } from '@halyard/contracts';
import { InMemoryStreamStore } from '@halyard/memory-in-memory';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SharedInterval } from '../../async/shared-interval.ts';
import type { UIMessageChunk } from '../../model/messages/message.ts';
import { fixedClock, silentLogger } from '../../testing/index.ts';
import { StreamWriter } from './stream-writer.ts';

const leaseMs = 9_000;
const tickMs = 250;
const id = 's1';
const place = { agentId: 'poet', conversationId: 'c1' };
const text = (delta: string): UIMessageChunk => ({ type: 'text-delta', id: 't', delta });

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A writer of a stream that has just begun. */
async function open(options: ConstructorParameters<typeof InMemoryStreamStore>[1] = {}) {
  const clock = fixedClock();
  const store = new InMemoryStreamStore(clock, options);
  await store.begin({ id, ...place, userId: 'ada' }, leaseMs);
  const warnings: object[] = [];
  const writer = new StreamWriter(id, {
    store,
    ticks: new SharedInterval(tickMs),
    clock,
    logger: { ...silentLogger, warn: (fields) => warnings.push(fields) },
    leaseMs,
    leasedAt: clock.monotonicNow?.() ?? 0,
    describeFailure: (error) => `described: ${String(error)}`,
  });
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += tickMs) {
      clock.advance(tickMs);
      await vi.advanceTimersByTimeAsync(tickMs);
    }
  };
  return { clock, pass, store, warnings, writer };
}

async function storedIn(store: StreamStore): Promise<{ readonly chunks: unknown[]; readonly status: string }> {
  const { chunks, status } = (await store.read(id, { after: 0, limit: 100 })) ?? { chunks: [], status: 'deleted' };
  return { chunks: chunks.map((chunk) => JSON.parse(chunk) as unknown), status };
}

async function* batches(...all: readonly (readonly UIMessageChunk[])[]): AsyncGenerator<readonly UIMessageChunk[]> {
  yield* all;
}

describe('a written answer', () => {
  it('has the prefix, the chunks of its source, and an end', async () => {
    const { store, writer } = await open();
    expect(writer.hasEnded).toBe(false);
    await writer.write(batches([text('b')], [], [text('c'), text('d')]), [text('a')]);
    expect(await storedIn(store)).toEqual({ chunks: ['a', 'b', 'c', 'd'].map(text), status: 'ended' });
    expect([writer.hasEnded, writer.hasRunOut, writer.signal.aborted]).toEqual([true, false, false]);
    await writer.done;
    expect(vi.getTimerCount()).toBe(0);
  });

  it('ends with an error that the source throws', async () => {
    const { store, writer } = await open();
    const source = (async function* () {
      yield [text('a')];
      throw new Error('no model');
    })();
    await writer.write(source, []);
    const error = { type: 'error', errorText: 'described: Error: no model' };
    expect(await storedIn(store)).toEqual({ chunks: [text('a'), error], status: 'ended' });
  });

  it('may end with last chunks only', async () => {
    const { store, writer } = await open();
    await writer.end({ type: 'abort' });
    expect(await storedIn(store)).toEqual({ chunks: [{ type: 'abort' }], status: 'ended' });
  });

  it('takes no chunk after its end', async () => {
    const { store, writer } = await open();
    await writer.end(text('a'));
    await writer.end(text('b'));
    await writer.write(batches([text('c')]), []);
    expect((await storedIn(store)).chunks).toEqual([text('a')]);
  });
});

it('writes the first chunks at once, and the last ones with the end', async () => {
  const { store, writer } = await open();
  const append = vi.spyOn(store, 'append');
  await writer.write(batches([text('a')], [text('b')], [text('c')]), []);
  expect(append.mock.calls.map(([, { chunks }]) => chunks)).toEqual([[JSON.stringify(text('a'))]]);
  expect(await storedIn(store)).toEqual({ chunks: ['a', 'b', 'c'].map(text), status: 'ended' });
});

describe('the reason of a stop', () => {
  it('is added to the abort of the source, and to no other chunk', async () => {
    const { store, writer } = await open();
    writer.stop('first');
    writer.stop('second');
    expect(writer.signal.aborted).toBe(true);
    await writer.write(batches([text('a'), { type: 'abort' }]), []);
    expect((await storedIn(store)).chunks).toEqual([text('a'), { type: 'abort', reason: 'first' }]);
  });

  it('is absent where there is none', async () => {
    const { store, writer } = await open();
    writer.stop();
    await writer.write(batches([{ type: 'abort' }]), []);
    expect((await storedIn(store)).chunks).toStrictEqual([{ type: 'abort' }]);
  });
});

describe('a store that fails', () => {
  it('is asked again at the next tick, and reported once until it works', async () => {
    const { pass, store, warnings, writer } = await open();
    const third = Promise.withResolvers<void>();
    const append = store.append.bind(store);
    vi.spyOn(store, 'append')
      .mockRejectedValueOnce(new Error('first'))
      .mockRejectedValueOnce(new Error('second'))
      .mockImplementationOnce(append)
      .mockImplementationOnce(() => {
        third.resolve();
        return Promise.reject(new Error('third'));
      });
    const source = async function* (): AsyncGenerator<readonly UIMessageChunk[]> {
      yield [text('a')];
      yield [text('b')];
      await third.promise;
    };
    const writing = writer.write(source(), []);
    await vi.waitFor(async () => {
      await pass(tickMs);
      expect(writer.hasEnded).toBe(true);
    });
    await writing;
    expect(await storedIn(store)).toEqual({ chunks: [text('a'), text('b')], status: 'ended' });
    expect(warnings).toMatchObject([
      { streamId: id, err: { message: 'first' } },
      { streamId: id, err: { message: 'third' } },
    ]);
  });

  it('is asked again to end the answer', async () => {
    const { pass, store, warnings, writer } = await open();
    vi.spyOn(store, 'end').mockRejectedValueOnce(new Error('no')).mockRejectedValueOnce(new Error('no'));
    const ending = writer.end(text('a'));
    await pass(3 * tickMs);
    await ending;
    expect(await storedIn(store)).toEqual({ chunks: [text('a')], status: 'ended' });
    expect(warnings).toHaveLength(1);
    expect(store.end).toHaveBeenCalledTimes(3);
  });
});

describe('the lease of an answer', () => {
  it('is renewed after a third of it, not before', async () => {
    const { pass, store, writer } = await open();
    const append = vi.spyOn(store, 'append');
    await pass(leaseMs / 3 - tickMs);
    expect(append).not.toHaveBeenCalled();
    await pass(tickMs);
    expect(append).toHaveBeenCalledExactlyOnceWith(id, { after: 0, chunks: [] }, leaseMs);
    await writer.end();
  });

  it('is renewed at once when it was granted late', async () => {
    const clock = fixedClock();
    const store = new InMemoryStreamStore(clock);
    await store.begin({ id, ...place, userId: 'ada' }, leaseMs);
    const append = vi.spyOn(store, 'append');
    clock.advance(leaseMs / 3);
    const writer = new StreamWriter(id, {
      store,
      ticks: new SharedInterval(tickMs),
      clock,
      logger: silentLogger,
      leaseMs,
      leasedAt: 0,
      describeFailure: String,
    });
    await vi.advanceTimersByTimeAsync(0);
    expect(append).toHaveBeenCalledTimes(1);
    await writer.end();
  });

  it('is not renewed while the answer ends', async () => {
    const { pass, store, writer } = await open();
    const append = vi.spyOn(store, 'append');
    const end = Promise.withResolvers<boolean>();
    vi.spyOn(store, 'end').mockReturnValueOnce(end.promise);
    const ending = writer.end();
    await pass(leaseMs / 2);
    expect(append).not.toHaveBeenCalled();
    end.resolve(true);
    await ending;
  });

  it('runs out after its time: the answer is aborted, and another writer can take its place', async () => {
    const { pass, store, warnings, writer } = await open();
    vi.spyOn(store, 'append').mockRejectedValue(new Error('not reached'));
    await pass(leaseMs - tickMs);
    expect([writer.signal.aborted, writer.hasRunOut]).toEqual([false, false]);
    await pass(tickMs);
    expect([writer.signal.aborted, writer.hasRunOut, writer.hasEnded]).toEqual([true, true, false]);
    expect(warnings.at(-1)).toMatchObject({ streamId: id, why: expect.stringContaining('lease') });
    // It is lost once.
    const count = warnings.length;
    await pass(leaseMs);
    expect(warnings).toHaveLength(count);
    await writer.end(text('late'));
    expect(writer.hasEnded).toBe(false);
  });

  it('is renewed more often while the process is shutting down, and lost after 4 s without its store', async () => {
    const { pass, store, warnings, writer } = await open();
    const append = vi.spyOn(store, 'append');
    writer.drain();
    await pass(20 * leaseMs);
    expect(writer.signal.aborted).toBe(false);
    append.mockRejectedValue(new Error('not reached'));
    await pass(4_000 - tickMs);
    expect(writer.signal.aborted).toBe(false);
    await pass(2_000);
    expect(writer.signal.aborted).toBe(true);
    expect(warnings.at(-1)).toMatchObject({ streamId: id, why: expect.stringContaining('shutting down') });
    await writer.end(text('late'));
    expect(writer.hasEnded).toBe(false);
  });

  it('is not lost at once when a shutdown begins long after the last renewal', async () => {
    const { pass, store, writer } = await open();
    vi.spyOn(store, 'append').mockRejectedValue(new Error('not reached'));
    await pass(leaseMs / 3);
    writer.drain();
    await pass(4_000 - tickMs);
    expect(writer.signal.aborted).toBe(false);
    await pass(tickMs);
    expect(writer.signal.aborted).toBe(true);
  });

  it('ran out while the answer was to end: nothing is stored', async () => {
    const { clock, store, writer } = await open();
    clock.advance(leaseMs);
    await writer.end(text('late'));
    expect([writer.hasEnded, writer.hasRunOut, writer.signal.aborted]).toEqual([false, true, true]);
    expect(await storedIn(store)).toEqual({ chunks: [], status: 'lost' });
  });
});

describe('a stream that is lost', () => {
  it.each([
    ['was taken over, with its chunks', true, false],
    ['was taken over, without a chunk', true, true],
    ['was deleted', false, false],
  ])('can be written by another one if it %s: %s', async (_, hasRunOut, isEmpty) => {
    const { store, warnings, writer } = await open();
    if (!isEmpty) {
      const first = await store.append(id, { after: 0, chunks: ['{}'] }, leaseMs);
      expect(first).toBe('appended');
    }
    if (hasRunOut) vi.spyOn(store, 'end').mockResolvedValue(false);
    else await store.discard(id);
    await writer.end(...(isEmpty ? [] : [text('a')]));
    expect([writer.hasRunOut, writer.hasEnded, writer.signal.aborted]).toEqual([hasRunOut, false, true]);
    expect(warnings).toMatchObject([
      { why: expect.stringContaining(hasRunOut ? 'lease ran out' : 'too long, or was deleted') },
    ]);
  });

  it('because it is too long cannot', async () => {
    const { store, writer } = await open({ maxBytesPerStream: 100 });
    await writer.write(batches([text('x'.repeat(200))], [text('never')]), []);
    expect([writer.hasRunOut, writer.hasEnded, writer.signal.aborted]).toEqual([false, false, true]);
    expect((await storedIn(store)).chunks).toEqual([]);
  });

  it('with nothing written and a chunk that is not stored cannot', async () => {
    const { store, writer } = await open();
    vi.spyOn(store, 'end').mockResolvedValue(false);
    await writer.end(text('a'));
    expect(writer.hasRunOut).toBe(false);
  });
});

describe('a writer that is abandoned', () => {
  it('writes no more, and leaves the stream to another writer', async () => {
    const { pass, store, warnings, writer } = await open();
    const append = vi.spyOn(store, 'append');
    const end = vi.spyOn(store, 'end');
    writer.abandon();
    expect(writer.signal.aborted).toBe(true);
    await pass(leaseMs / 2);
    await writer.write(batches([text('a')]), [text('b')]);
    expect([append.mock.calls.length, end.mock.calls.length]).toEqual([0, 0]);
    expect([writer.hasEnded, writer.hasRunOut]).toEqual([false, false]);
    expect(warnings).toEqual([]);
    expect(await storedIn(store)).toEqual({ chunks: [], status: 'live' });
    await writer.done;
  });

  it('after its end does nothing', async () => {
    const { writer } = await open();
    await writer.end();
    writer.abandon();
    expect([writer.hasEnded, writer.signal.aborted]).toEqual([true, false]);
  });

  it('drops the chunks that a failing store did not take', async () => {
    const { pass, store, writer } = await open();
    vi.spyOn(store, 'append').mockRejectedValueOnce(new Error('not reached'));
    const writing = writer.write(batches([text('a')]), []);
    await vi.advanceTimersByTimeAsync(0);
    writer.abandon();
    await pass(tickMs);
    await writing;
    expect((await storedIn(store)).chunks).toEqual([]);
  });
});

it('stops soon after a request, which the store reports as a change', async () => {
  const { pass, store, writer } = await open();
  await store.requestStop('anyone', place);
  expect(writer.signal.aborted).toBe(false);
  await pass(2 * tickMs);
  expect(writer.signal.aborted).toBe(true);
  await writer.end();
});

it('does not renew the lease at each change of its own writes', async () => {
  const { pass, store, writer } = await open();
  const append = vi.spyOn(store, 'append');
  const source = Promise.withResolvers<void>();
  const writing = writer.write(
    (async function* () {
      yield [text('a')];
      await source.promise;
    })(),
    [],
  );
  await vi.waitFor(() => expect(append).toHaveBeenCalledTimes(1));
  await pass(4 * tickMs);
  // The change that its write caused is read once.
  expect(append.mock.calls.length).toBeLessThanOrEqual(3);
  source.resolve();
  await writing;
});
