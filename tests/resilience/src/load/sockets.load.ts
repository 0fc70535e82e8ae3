import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type LoadServer, openServer } from './open-server.ts';

const megabyte = 1024 * 1024;
let server: LoadServer;
beforeEach(async () => {
  server = await openServer();
});
afterEach(() => server.close());

/** A client of `/ws` that reads nothing but the reply to its handshake. */
async function openUnread(): Promise<Socket> {
  const socket = connect(server.port, '127.0.0.1');
  socket.on('error', () => {});
  const head = [
    'GET /ws HTTP/1.1',
    'host: localhost',
    'connection: Upgrade',
    'upgrade: websocket',
    'sec-websocket-version: 13',
  ];
  socket.write([...head, 'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==', '', ''].join('\r\n'));
  await once(socket, 'data');
  socket.pause();
  return socket;
}

/** Frames with the text `1`, whose replies are short too. */
const frames = Buffer.from([0x81, 0x81, 0, 0, 0, 0, 0x31]).toString('latin1').repeat(10_000);

it('uses less than two megabytes for a client that sends 500 000 short messages and never reads', async () => {
  const before = await server.report();
  const socket = await openUnread();
  for (let round = 0; round < 50 && !socket.destroyed; round += 1)
    await new Promise<void>((resolve) => socket.write(frames, 'latin1', () => resolve()));
  const unread = await server.report();

  expect((unread.heapUsed - before.heapUsed) / megabyte).toBeLessThan(2);
  socket.destroy();
});
