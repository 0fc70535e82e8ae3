import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Headers, ResourceTarget } from './resource-target.ts';

type Address = Pick<ResourceTarget, 'hostname' | 'localAddress' | 'port' | 'socketHeaders'>;

/**
 * A connection from an address that only attackers have. Its errors are ignored: the server may
 * close it at any time.
 */
export function openSocket({ hostname, localAddress, port }: Omit<Address, 'socketHeaders'>): Socket {
  const socket = connect({ port, host: hostname, ...(localAddress !== undefined && { localAddress }) });
  socket.on('error', () => {});
  return socket;
}

/** The lines of a request, with the empty line after the headers. */
export function head(...lines: readonly string[]): string {
  return [...lines, '', ''].join('\r\n');
}

export function headerLines(headers: Headers): readonly string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
}

/** A WebSocket, after the server's greeting. @returns undefined if the server refused it. */
export async function openWebSocket(target: Address): Promise<Socket | undefined> {
  const socket = openSocket(target);
  socket.write(
    head(
      'GET /ws HTTP/1.1',
      'host: x',
      ...headerLines(target.socketHeaders),
      'connection: Upgrade',
      'upgrade: websocket',
      'sec-websocket-version: 13',
      'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
      'sec-websocket-extensions: permessage-deflate',
    ),
  );
  let seen = '';
  for (;;) {
    const chunk = await Promise.race([once(socket, 'data'), once(socket, 'close').then(() => undefined)]);
    if (chunk === undefined) return undefined;
    seen += (chunk as [Buffer])[0].toString('latin1');
    if (!seen.startsWith('HTTP/1.1 101')) return undefined;
    // The greeting ends with this byte.
    if (seen.endsWith('}')) return socket;
  }
}

/** Writes and waits until the bytes have left, or the server has closed the connection. */
export async function write(socket: Socket, bytes: Buffer | string): Promise<void> {
  if (socket.destroyed) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.once('close', resolve);
  socket.write(bytes, () => resolve());
  await promise;
  socket.off('close', resolve);
}

/** Whether the server closes the connection in this time. */
export async function closesWithin(socket: Socket, ms: number): Promise<boolean> {
  if (socket.destroyed) return true;
  socket.resume();
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), ms);
  socket.once('close', () => resolve(true));
  const isClosed = await promise;
  clearTimeout(timer);
  return isClosed;
}

/** Why no WebSocket can be opened. Undefined: they can. */
export async function refusalOfSockets(target: Address): Promise<string | undefined> {
  const socket = await openWebSocket(target);
  socket?.destroy();
  return socket === undefined ? 'a WebSocket to /ws, which may need --console-key' : undefined;
}
