import { type LookupAddress, promises as dns } from 'node:dns';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createServer, type HalyardServer } from '../../create-server.ts';
import { unreachableLimits } from '../../testing/serve.ts';

const addresses = ['127.0.0.1', '127.0.0.2'];

let server: HalyardServer;
let port: number;
beforeEach(async () => {
  // This machine may have only one address for `localhost`.
  const found: LookupAddress[] = addresses.map((address) => ({ address, family: 4 }));
  vi.spyOn<{ lookup: () => Promise<LookupAddress[]> }, 'lookup'>(dns as never, 'lookup').mockResolvedValue(found);
  server = await createServer({ logger: false, signals: false, limits: unreachableLimits });
  port = Number(new URL(await server.listen({ host: 'localhost', port: 0 })).port);
});
afterEach(async () => {
  await server.close();
  vi.restoreAllMocks();
});

const send = (host: string, bytes: string) => {
  const socket = connect(port, host);
  socket.write(bytes);
  return socket;
};

it.each(addresses)('listens on %s, and replies to invalid requests there with the envelope', async (address) => {
  const request = 'GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n';
  const replies = await text(send(address, `${request}BOGUS\r\n\r\n`));
  expect(replies).toContain('HTTP/1.1 200');
  expect(replies).toContain('{"success":false,"error":"request is not valid HTTP"}');
});

it.each(addresses)('closes connections to %s with the server', async (address) => {
  const half = send(address, 'POST /agents/a/text HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\n{');
  half.on('error', () => {}).resume();
  const closed = once(half, 'close');
  await once(server.app.server, 'request');
  await server.close();
  await closed;
  const late = connect(port, address);
  await expect(once(late, 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});
