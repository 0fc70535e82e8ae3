import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type LoadServer, openServer } from './open-server.ts';

const megabyte = 1024 * 1024;
let server: LoadServer;
beforeEach(async () => {
  server = await openServer();
});
afterEach(() => server.close());

/** Opens streams, and disconnects from each after its first chunk. */
async function abortStreams(count: number, atOnce: number): Promise<void> {
  let left = count;
  const client = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const socket = server.openStream();
      socket.resume();
      await once(socket, 'data');
      socket.destroy();
      await once(socket, 'close');
    }
  };
  await Promise.all(Array.from({ length: atOnce }, client));
}

it('leaves nothing behind after 10 000 streams that clients aborted', async () => {
  // Fills the ring of recorded spans: from here on it does not grow.
  await abortStreams(6_000, 50);
  await expect.poll(async () => (await server.report()).closed, { timeout: 120_000 }).toBe(6_000);
  const before = await server.report();

  await abortStreams(10_000, 50);
  await expect.poll(async () => (await server.report()).closed, { timeout: 120_000 }).toBe(16_000);
  await expect.poll(async () => (await server.report()).resources, { timeout: 120_000 }).toEqual(before.resources);
  const after = await server.report();

  expect(after.opened).toBe(16_000);
  expect((after.heapUsed - before.heapUsed) / megabyte).toBeLessThan(3);
});

/**
 * Clients that send a request and never read the reply; resolves when the server reads nothing more
 * from the model.
 */
async function stuckClients(count: number, agentId?: 'endless' | 'chatty'): Promise<Socket[]> {
  const { opened } = await server.report();
  const sockets = Array.from({ length: count }, () => server.openStream(agentId));
  await expect.poll(async () => (await server.report()).opened, { timeout: 60_000 }).toBe(opened + count);
  let pieces = -1;
  const isStill = async (): Promise<boolean> => {
    const earlier = pieces;
    ({ pieces } = await server.report());
    return pieces === earlier;
  };
  await expect.poll(isStill, { timeout: 120_000, interval: 500 }).toBe(true);
  return sockets;
}

it('uses less than a megabyte, besides the text of the answer, for a client that never reads, and stops reading from the model', async () => {
  // The first clients grow the heap to its working size.
  const first = await stuckClients(50);
  const before = await server.report();
  const second = await stuckClients(50);
  const stuck = await server.report();

  expect((stuck.rss - before.rss) / second.length / megabyte).toBeLessThan(1);
  expect((stuck.heapUsed - before.heapUsed) / second.length / megabyte).toBeLessThan(1);

  for (const socket of [...first, ...second]) socket.destroy();
  await expect.poll(async () => (await server.report()).closed, { timeout: 60_000 }).toBe(stuck.opened);
});

it('uses less than a megabyte of heap for a client that never reads many short deltas', async () => {
  const first = await stuckClients(5, 'chatty');
  const before = await server.report();
  const second = await stuckClients(10, 'chatty');
  const stuck = await server.report();

  expect((stuck.heapUsed - before.heapUsed) / second.length / megabyte).toBeLessThan(1);

  for (const socket of [...first, ...second]) socket.destroy();
  await expect.poll(async () => (await server.report()).closed, { timeout: 60_000 }).toBe(stuck.opened);
});
