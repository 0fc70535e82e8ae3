import { describe, expect, it, vi } from 'vitest';
import { EventStream, type EventStreamLimits } from './event-stream.ts';

function open(limits?: EventStreamLimits) {
  const onReturn = vi.fn<() => void>();
  return { onReturn, stream: new EventStream<string>((event) => event.length, onReturn, limits) };
}

/** Whether a promise is settled after all callbacks that are ready. */
async function isSettled(promise: Promise<unknown> | undefined): Promise<boolean> {
  let isDone = false;
  void promise?.then(() => (isDone = true));
  await new Promise(setImmediate);
  return isDone;
}

describe('the events of a stream', () => {
  it('of one turn arrive in one batch', async () => {
    const { stream } = open();
    const batch = stream.next();
    void stream.push('a');
    await Promise.resolve();
    void stream.push('b');
    expect(await batch).toEqual({ done: false, value: ['a', 'b'] });
    void stream.push('c');
    expect(await stream.next()).toEqual({ done: false, value: ['c'] });
  });

  it('that were pushed before the end are delivered', async () => {
    const { onReturn, stream } = open();
    void stream.push('a');
    stream.end();
    expect(stream.push('late')).toBeUndefined();
    expect(await stream.next()).toEqual({ done: false, value: ['a'] });
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    expect(onReturn).not.toHaveBeenCalled();
  });

  it('end a wait', async () => {
    const { stream } = open();
    const batch = stream.next();
    expect(await isSettled(batch)).toBe(false);
    stream.end();
    expect(await batch).toEqual({ done: true, value: undefined });
  });

  it('can be iterated', async () => {
    const { stream } = open();
    void stream.push('a');
    stream.end();
    const batches: unknown[] = [];
    for await (const batch of stream) batches.push(batch);
    expect(batches).toEqual([['a']]);
  });
});

describe('a producer', () => {
  it.each([
    ['events', { maxEvents: 2, maxWeight: 100 }, 'x'],
    ['weight', { maxEvents: 100, maxWeight: 4 }, 'xx'],
  ])('waits while its consumer is behind by too many %s', async (_, limits, event) => {
    const { stream } = open(limits);
    expect(stream.push(event)).toBeUndefined();
    const room = stream.push(event);
    expect(stream.push(event)).toBe(room);
    expect(await isSettled(room)).toBe(false);
    await stream.next();
    expect(await isSettled(room)).toBe(true);
    // The weight of events that were read does not count any more.
    expect(stream.push(event)).toBeUndefined();
  });

  it('waits behind 256 events, or behind 64 Ki characters', () => {
    const { stream } = open();
    for (let count = 1; count < 256; count += 1) expect(stream.push('x')).toBeUndefined();
    expect(stream.push('x')).toBeInstanceOf(Promise);
    const { stream: other } = open();
    expect(other.push('x'.repeat(64 * 1024 - 1))).toBeUndefined();
    expect(other.push('x')).toBeInstanceOf(Promise);
  });

  it.each(['end', 'release'] as const)('does not wait after the %s of the stream', async (method) => {
    const { stream } = open({ maxEvents: 1, maxWeight: 100 });
    const room = stream.push('a');
    stream[method]();
    expect(await isSettled(room)).toBe(true);
    expect(stream.push('b')).toBeUndefined();
    expect(await stream.next()).toEqual({ done: false, value: method === 'end' ? ['a'] : ['a', 'b'] });
  });
});

describe('a consumer that leaves', () => {
  it('stops the producer once, also while it waits, and drops buffered events', async () => {
    const { onReturn, stream } = open({ maxEvents: 1, maxWeight: 100 });
    const waiting = stream.next();
    expect(await stream.return()).toEqual({ done: true, value: undefined });
    expect(await waiting).toEqual({ done: true, value: undefined });
    await stream.return();
    expect(onReturn).toHaveBeenCalledTimes(1);
    const { stream: other } = open({ maxEvents: 1, maxWeight: 100 });
    const room = other.push('a');
    await other.return();
    expect(await isSettled(room)).toBe(true);
    expect(await other.next()).toEqual({ done: true, value: undefined });
  });

  it('does not stop a producer that has ended', async () => {
    const { onReturn, stream } = open();
    void stream.push('a');
    stream.end();
    await stream.return();
    expect(onReturn).not.toHaveBeenCalled();
    expect(await stream.next()).toEqual({ done: true, value: undefined });
  });
});
