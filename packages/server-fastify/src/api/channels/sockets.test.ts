import { EventEmitter } from 'node:events';
import { setImmediate as nextTick } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { WebSocket } from 'ws';
import { closingMs, OpenSockets } from './open-sockets.ts';
import { SocketConnection } from './socket-connection.ts';

const limits = { webSocketBufferBytes: 5_000, webSocketMessageBytes: 10 };

/** The socket of a client, as far as a connection uses it. */
class TestSocket extends EventEmitter {
  readonly OPEN = 1;
  readonly CLOSED = 3;
  readyState = 1;
  bufferedAmount = 0;
  pings = 0;
  terminations = 0;
  readonly sent: string[] = [];
  readonly closes: unknown[] = [];
  readonly #callbacks: (() => void)[] = [];

  send(text: string, onSent: () => void): void {
    this.sent.push(text);
    this.#callbacks.push(onSent);
  }

  /** The network takes everything. */
  flush(): void {
    for (const callback of this.#callbacks.splice(0)) callback();
  }

  ping(): void {
    this.pings += 1;
  }

  close(code: number, reason: string): void {
    this.closes.push([code, reason]);
    this.readyState = 2;
  }

  terminate(): void {
    this.terminations += 1;
    this.end();
  }

  end(): void {
    this.readyState = 3;
    this.emit('close');
  }
}

function open() {
  const socket = new TestSocket();
  const report = vi.fn<(error: unknown) => void>();
  return { connection: new SocketConnection(socket as unknown as WebSocket, { limits, report }), report, socket };
}

describe('a connection', () => {
  it('sends texts while it is open', () => {
    const { connection, socket } = open();
    expect(connection.send('a')).toBe(true);
    socket.readyState = 2;
    expect(connection.send('b')).toBe(false);
    expect(socket.sent).toEqual(['a']);
  });

  it('counts bytes that the network has not taken, with the memory of each message', () => {
    const { connection, socket } = open();
    connection.send('a');
    connection.send('b');
    expect(connection.bufferedBytes).toBe(0);
    socket.bufferedAmount = 2;
    expect(connection.bufferedBytes).toBe(2 + 2 * 1_024);
    socket.flush();
    expect(connection.bufferedBytes).toBe(2);
  });

  it('closes a client that does not read', () => {
    const { connection, socket } = open();
    socket.bufferedAmount = 4_999;
    expect(connection.send('a')).toBe(true);
    socket.flush();
    socket.bufferedAmount = 5_000;
    expect(connection.send('b')).toBe(false);
    expect(socket.sent).toEqual(['a']);
    expect(socket.closes).toEqual([[1013, 'too much is waiting to be read']]);
  });

  it('passes messages to its last listener', () => {
    const { connection, socket } = open();
    socket.emit('message', Buffer.from('nobody'), false);
    const [first, second] = [vi.fn<(text: string) => void>(), vi.fn<(text: string) => void>()];
    connection.onMessage(first);
    connection.onMessage(second);
    socket.emit('message', Buffer.from('é'), false);
    socket.emit('message', [Buffer.from('a')], false);
    expect(first).not.toHaveBeenCalled();
    expect(second.mock.calls).toEqual([['é']]);
  });

  it('refuses a binary message, and closes for one that is too long', () => {
    const { connection, socket } = open();
    const listener = vi.fn<(text: string) => void>();
    connection.onMessage(listener);
    socket.emit('message', Buffer.from('a'), true);
    expect(socket.sent).toEqual(['{"type":"ERROR","success":false,"error":"message must be text, not binary"}']);
    socket.emit('message', Buffer.from('x'.repeat(10)), false);
    expect(listener).toHaveBeenCalledTimes(1);
    socket.emit('message', Buffer.from('x'.repeat(11)), false);
    expect(socket.closes).toEqual([[1009, 'message is too long']]);
    socket.emit('message', Buffer.from('a'), false);
    expect(listener).toHaveBeenCalledTimes(1);
  });

  it('reports an error of its listeners, and closes', () => {
    const { connection, report, socket } = open();
    const error = new Error('broken');
    connection.onMessage(() => {
      throw error;
    });
    socket.emit('message', Buffer.from('a'), false);
    expect(report).toHaveBeenCalledExactlyOnceWith(error);
    expect(socket.closes).toEqual([[1011, 'internal error']]);
    connection.onClose(() => {
      throw error;
    });
    socket.end();
    expect(report).toHaveBeenCalledTimes(2);
  });

  it('tells once that it is closed, also when it is closed already', () => {
    const { connection, socket } = open();
    const [before, after] = [vi.fn<() => void>(), vi.fn<() => void>()];
    connection.onClose(before);
    expect(before).not.toHaveBeenCalled();
    socket.end();
    socket.emit('close');
    connection.onClose(after);
    expect([before.mock.calls.length, after.mock.calls.length]).toEqual([1, 1]);
  });

  it.each(['pong', 'message'])('is pinged, and terminated when the client has not sent a %s since', (answer) => {
    const { connection, socket } = open();
    connection.ping();
    socket.emit(answer, Buffer.from('a'), false);
    connection.ping();
    expect([socket.pings, socket.terminations]).toEqual([2, 0]);
    connection.ping();
    expect([socket.pings, socket.terminations]).toEqual([2, 1]);
  });

  it('is not pinged while it closes', () => {
    const { connection, socket } = open();
    connection.ping();
    socket.readyState = 2;
    connection.ping();
    expect([socket.pings, socket.terminations]).toEqual([1, 0]);
  });
});

describe('the open sockets of a server', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  });
  afterEach(() => {
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });

  const room = () => new OpenSockets(1_000);

  it('are pinged by one timer, which exists only while there are any', async () => {
    const sockets = room();
    const [one, other] = [open(), open()];
    sockets.enter(one.connection);
    sockets.enter(other.connection);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(1_000);
    await nextTick();
    expect([one.socket.pings, other.socket.pings]).toEqual([1, 1]);
    one.socket.end();
    expect(vi.getTimerCount()).toBe(1);
    other.socket.end();
    expect(vi.getTimerCount()).toBe(0);
    const third = open();
    sockets.enter(third.connection);
    expect(vi.getTimerCount()).toBe(1);
    third.socket.end();
  });

  it('are closed at a shutdown so that clients connect again', async () => {
    const sockets = room();
    const { connection, socket } = open();
    sockets.enter(connection);
    let isClosed = false;
    const closing = sockets.close(10_000).then(() => (isClosed = true));
    expect(socket.closes).toEqual([[1012, 'the server is shutting down']]);
    await nextTick();
    expect(isClosed).toBe(false);
    socket.end();
    await closing;
    expect(socket.terminations).toBe(0);
  });

  it.each([
    [60_000, closingMs],
    [1_000, 1_000],
  ])('are terminated when their clients do not confirm that, with %i ms of grace after %i ms', async (grace, ms) => {
    const sockets = room();
    const { connection, socket } = open();
    sockets.enter(connection);
    const closing = sockets.close(grace);
    await vi.advanceTimersByTimeAsync(ms - 1);
    expect(socket.terminations).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(socket.terminations).toBe(1);
    await closing;
  });

  it('need no time to close where there are none', async () => {
    await expect(room().close(60_000)).resolves.toBeUndefined();
  });
});
