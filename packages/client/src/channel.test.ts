import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ClientOptions } from './client-options.ts';
import { createClient } from './create-client.ts';

/** A socket that a test opens, closes, and sends messages on. */
class TestSocket extends EventTarget {
  static all: TestSocket[] = [];
  readyState = 0;
  readonly sent: string[] = [];
  closes = 0;
  readonly url: string;

  constructor(url: string) {
    super();
    this.url = url;
    TestSocket.all.push(this);
  }

  open(): void {
    this.readyState = 1;
    this.dispatchEvent(new Event('open'));
  }

  receive(data: unknown): void {
    this.dispatchEvent(new MessageEvent('message', { data }));
  }

  /** The connection ends. */
  end(code: number): void {
    this.readyState = 3;
    this.dispatchEvent(Object.assign(new Event('close'), { code }));
  }

  send(text: string): void {
    this.sent.push(text);
  }

  close(): void {
    this.closes += 1;
  }
}

const message = { type: 'ECHO', success: true, data: 1 };

beforeEach(() => {
  TestSocket.all = [];
  vi.useFakeTimers();
  vi.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

function connect(options: Partial<ClientOptions> = {}) {
  return createClient({ baseUrl: 'https://api.test/ai', WebSocket: TestSocket as never, ...options });
}

/** The next socket, which the client opens after it has its credentials. */
async function opened(count = 1): Promise<TestSocket> {
  await vi.advanceTimersByTimeAsync(0);
  const socket = TestSocket.all[count - 1] ?? expect.fail(`there is no socket ${count}`);
  expect(TestSocket.all).toHaveLength(count);
  return socket;
}

describe('the address of a channel', () => {
  it.each([
    [{}, {}, 'wss://api.test/ai/ws/logs'],
    [{ baseUrl: 'http://api.test' }, {}, 'ws://api.test/ws/logs'],
    [
      { token: 'a b', consoleKey: () => 'k&' },
      { level: 'info' },
      'wss://api.test/ai/ws/logs?level=info&key=k%26&token=a%20b',
    ],
  ])('has the query and the credentials: %j %j', async (options, query, url) => {
    const reading = connect(options).channel('/ws/logs', { query })[Symbol.asyncIterator]();
    const next = reading.next();
    const socket = await opened();
    expect(socket.url).toBe(url);
    socket.receive('{}');
    await next;
    await reading.return?.();
  });

  it.each(['', '/ai'])('is that of the page without one of its own: %j', async (baseUrl) => {
    vi.stubGlobal('location', { origin: 'https://page.test' });
    const reading = connect({ baseUrl }).channel('/ws')[Symbol.asyncIterator]();
    const next = reading.next();
    const socket = await opened();
    vi.unstubAllGlobals();
    expect(socket.url).toBe(`wss://page.test${baseUrl}/ws`);
    socket.receive('{}');
    expect(await next).toEqual({ done: false, value: {} });
    await reading.return?.();
  });
});

describe('a channel', () => {
  it('yields its messages, and closes when its reader leaves', async () => {
    const onOpen = vi.fn<() => void>();
    const channel = connect().channel('/ws', { onOpen });
    const reading = channel[Symbol.asyncIterator]();
    const first = reading.next();
    const socket = await opened();
    socket.open();
    socket.receive(JSON.stringify(message));
    socket.receive(JSON.stringify({ ...message, data: 2 }));
    expect(await first).toEqual({ done: false, value: message });
    expect(await reading.next()).toEqual({ done: false, value: { ...message, data: 2 } });
    expect(onOpen).toHaveBeenCalledTimes(1);
    expect(socket.closes).toBe(0);
    await reading.return?.();
    expect(socket.closes).toBe(1);
    expect(() => channel.send(1)).toThrow('/ws');
  });

  it('sends JSON while it is connected', async () => {
    const channel = connect().channel('/ws');
    expect(() => channel.send({ a: 1 })).toThrow(expect.objectContaining({ name: 'ConnectionError' }));
    const reading = channel[Symbol.asyncIterator]();
    const next = reading.next();
    const socket = await opened();
    expect(() => channel.send({ a: 1 })).toThrow(expect.objectContaining({ name: 'ConnectionError' }));
    socket.open();
    channel.send({ a: 1 });
    expect(socket.sent).toEqual(['{"a":1}']);
    socket.receive('{}');
    await next;
    await reading.return?.();
  });

  it('connects again when it is lost, and reads messages that had arrived before', async () => {
    const onLost = vi.fn<(error: Error) => void>();
    const reading = connect().channel('/ws', { onLost })[Symbol.asyncIterator]();
    const first = reading.next();
    const socket = await opened();
    socket.receive(JSON.stringify(message));
    socket.end(1012);
    expect(await first).toEqual({ done: false, value: message });
    expect(onLost).not.toHaveBeenCalled();
    const second = reading.next();
    await vi.advanceTimersByTimeAsync(124);
    expect(TestSocket.all).toHaveLength(1);
    expect(onLost).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ name: 'ConnectionError' }));
    await vi.advanceTimersByTimeAsync(1);
    const again = await opened(2);
    expect(socket.closes).toBe(1);
    again.receive(JSON.stringify({ ...message, data: 2 }));
    expect(await second).toEqual({ done: false, value: { ...message, data: 2 } });
    await reading.return?.();
  });

  it('fails after too many attempts in a row; a message begins the count again', async () => {
    const reading = connect({ reconnects: 1 }).channel('/ws')[Symbol.asyncIterator]();
    const first = reading.next();
    (await opened(1)).end(1006);
    await vi.runAllTimersAsync();
    const second = await opened(2);
    second.receive('{}');
    await first;
    const next = reading.next();
    second.end(1006);
    await vi.runAllTimersAsync();
    (await opened(3)).end(1006);
    await expect(next).rejects.toMatchObject({
      name: 'ConnectionError',
      message: expect.stringMatching(/\/ws .*1006/),
    });
    expect(TestSocket.all).toHaveLength(3);
  });

  it.each([1002, 1003, 1007, 1008, 1009])('does not connect again after code %i', async (code) => {
    const reading = connect().channel('/ws')[Symbol.asyncIterator]();
    const next = reading.next();
    (await opened()).end(code);
    await expect(next).rejects.toMatchObject({ message: expect.stringContaining(String(code)) });
    expect(TestSocket.all).toHaveLength(1);
  });

  it('connects again where the address could not be called at all', async () => {
    class ClosedSocket extends TestSocket {
      override readyState = 3;
    }
    const reading = connect({ WebSocket: ClosedSocket as never, reconnects: 1 }).channel('/ws');
    const next = reading[Symbol.asyncIterator]().next();
    next.catch(() => {});
    await vi.runAllTimersAsync();
    await expect(next).rejects.toMatchObject({ message: expect.stringContaining('1006') });
    expect(TestSocket.all).toHaveLength(2);
  });

  it('fails with a binary message', async () => {
    const next = connect().channel('/ws')[Symbol.asyncIterator]().next();
    const socket = await opened();
    socket.receive(new ArrayBuffer(1));
    await expect(next).rejects.toMatchObject({ name: 'UnexpectedReplyError', status: 101, body: '' });
    expect(socket.closes).toBeGreaterThan(0);
  });

  it('fails when its reader is too slow, after the messages that were kept', async () => {
    const reading = connect().channel('/ws', { bufferedMessages: 2 })[Symbol.asyncIterator]();
    const first = reading.next();
    const socket = await opened();
    for (let at = 0; at < 3; at += 1) socket.receive(JSON.stringify({ at }));
    expect((await first).value).toEqual({ at: 0 });
    expect((await reading.next()).value).toEqual({ at: 1 });
    await expect(reading.next()).rejects.toMatchObject({
      name: 'ConnectionError',
      message: expect.stringContaining('2 messages'),
    });
    expect(socket.closes).toBeGreaterThan(0);
  });

  it('throws the reason of its signal, while it waits and before it connects, and closes', async () => {
    const leaving = new AbortController();
    const channel = connect().channel('/ws', { signal: leaving.signal });
    const remove = vi.spyOn(leaving.signal, 'removeEventListener');
    const next = channel[Symbol.asyncIterator]().next();
    const socket = await opened();
    leaving.abort(new Error('left'));
    await expect(next).rejects.toThrow('left');
    expect(socket.closes).toBe(1);
    expect(remove).toHaveBeenCalled();
    await expect(channel[Symbol.asyncIterator]().next()).rejects.toThrow('left');
    expect(TestSocket.all).toHaveLength(1);
  });

  it('survives an error event, which a close event follows', async () => {
    const reading = connect().channel('/ws')[Symbol.asyncIterator]();
    const next = reading.next();
    const socket = await opened();
    socket.dispatchEvent(new Event('error'));
    socket.receive('{}');
    expect(await next).toEqual({ done: false, value: {} });
    await reading.return?.();
  });
});
