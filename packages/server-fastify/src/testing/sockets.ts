import { once } from 'node:events';
import { onTestFinished, vi } from 'vitest';
import { WebSocket, type ClientOptions } from 'ws';

/** A client of a channel, with promises. */
export interface Client {
  readonly socket: WebSocket;
  /** The next message, parsed, or the close code after the last one. */
  next(): Promise<unknown>;
  /** The close code of the connection. */
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
}

export function connectTo(url: string, options: ClientOptions = {}): Client {
  const socket = new WebSocket(url.replace(/^http/, 'ws'), options);
  const waiting: string[] = [];
  const { promise: closed, resolve } = Promise.withResolvers<{ code: number; reason: string }>();
  const arrived = new EventTarget();
  socket.on('error', () => {});
  socket.on('message', (data: Buffer) => {
    waiting.push(data.toString());
    arrived.dispatchEvent(new Event('message'));
  });
  socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() }));
  return {
    socket,
    closed,
    next: async () => {
      if (waiting.length === 0) {
        const over = await Promise.race([once(arrived, 'message'), closed]);
        if (!Array.isArray(over)) return over;
      }
      return JSON.parse(waiting.shift() ?? 'null') as unknown;
    },
  };
}

/**
 * Whether a connection of this process has been closed since, which a client that does not read
 * cannot notice.
 */
export function noticeClose(): () => boolean {
  const close = vi.spyOn(WebSocket.prototype, 'close');
  onTestFinished(() => close.mockRestore());
  return () => close.mock.calls.length > 0;
}

export interface Refusal {
  readonly status: number;
  readonly code: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
}

/** The status of a WebSocket handshake: 101 if it succeeds. */
export function refusalOf(url: string, options: ClientOptions = {}): Promise<Refusal> {
  const { promise, resolve, reject } = Promise.withResolvers<Refusal>();
  const socket = new WebSocket(url.replace(/^http/, 'ws'), options);
  socket.on('error', reject);
  socket.on('open', () => {
    socket.terminate();
    resolve({ status: 101, code: undefined, headers: {}, body: undefined });
  });
  socket.on('unexpected-response', (_request, response) => {
    let text = '';
    response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    response.on('end', () => {
      const code = response.headers['x-error-code'];
      resolve({
        status: response.statusCode ?? 0,
        code: typeof code === 'string' ? code : undefined,
        headers: response.headers,
        body: JSON.parse(text),
      });
    });
  });
  return promise;
}

export const handshake = [
  'connection: Upgrade',
  'upgrade: websocket',
  'sec-websocket-version: 13',
  'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
];
