import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type SharedServer, startSharedServer } from './shared-server.ts';

let server: SharedServer;
beforeEach(async () => {
  server = await startSharedServer();
});
afterEach(() => server.close());

it('refuses most of 1 500 text requests of one user, and answers another user', async () => {
  const many = Promise.all(
    Array.from({ length: 1_500 }, () => server.post('busy', '/agents/thoughtful/text', { input: 'Hi' })),
  );
  await server.delaysDuring(many, '/agents/quick/text', { input: 'Hi' });
  const accepted = (await many).filter((status) => status === 200).length;
  const { mostSlowCalls } = await server.report();
  process.stdout.write(`accepted: ${accepted} of 1500, ${mostSlowCalls} at the same time\n`);
  expect(accepted).toBeLessThan(1_500);
  expect(mostSlowCalls).toBeLessThanOrEqual(200);
});

it('lets the console key in beside 1 000 WebSockets of strangers', async () => {
  const sockets = await Promise.all(Array.from({ length: 1_000 }, () => openSocket('/ws')));
  const accepted = sockets.filter(({ status }) => status === '101').length;
  process.stdout.write(`WebSockets of one address: ${accepted} of 1000\n`);
  expect(accepted).toBe(100);

  const operator = await openSocket('/ws/logs?key=the%20console%20key%20of%20this%20test');
  expect(operator.status).toBe('101');
  for (const { socket } of [...sockets, operator]) socket.destroy();
});

async function openSocket(path: string): Promise<{ readonly socket: Socket; readonly status: string | undefined }> {
  const socket = connect(Number(new URL(server.origin).port), '127.0.0.1');
  socket.on('error', () => {});
  const head = [`GET ${path} HTTP/1.1`, 'host: localhost', 'connection: Upgrade', 'upgrade: websocket'];
  const key = 'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==';
  socket.write([...head, 'sec-websocket-version: 13', key, '', ''].join('\r\n'));
  const [reply] = (await once(socket, 'data')) as [Buffer];
  return { socket, status: reply.toString('latin1').split(' ')[1] };
}
