import { once } from 'node:events';
import type { Socket } from 'node:net';
import { malformedFrame } from './malformed-frames.ts';
import { open, type Served } from './serve.ts';
import { handshake } from './sockets.ts';

/** A connection to `/ws` that has received the greeting. */
export async function connectRaw(port: number, ...headers: string[]): Promise<Socket> {
  const socket = open(port);
  socket.write(['GET /ws HTTP/1.1', 'host: localhost', ...handshake, ...headers, '', ''].join('\r\n'));
  let seen = '';
  socket.setEncoding('latin1');
  // The greeting ends with this byte.
  while (!seen.endsWith('}')) seen += String((await once(socket, 'data'))[0]);
  return socket;
}

/** Opens connections, 25 at a time, that each send 50 malformed frames and end. */
export async function sendMalformedFrames(
  port: number,
  random: (below: number) => number,
  connections: number,
): Promise<void> {
  const attack = async (): Promise<void> => {
    const socket = await connectRaw(port);
    socket.resume();
    const closed = once(socket, 'close');
    socket.end(Buffer.concat(Array.from({ length: 50 }, () => malformedFrame(random))));
    await closed;
  };
  for (let done = 0; done < connections; done += 25) await Promise.all(Array.from({ length: 25 }, attack));
}

/** Resolves when the server has no connection left. */
export async function allClosed({ app }: Served): Promise<void> {
  for (let left = 1; left > 0;) {
    left = await new Promise((resolve) => app.server.getConnections((_error, count) => resolve(count)));
    await new Promise(setImmediate);
  }
}
