import { once } from 'node:events';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type LoadServer, openServer } from './open-server.ts';

const megabyte = 1024 * 1024;
let server: LoadServer;
beforeEach(async () => {
  server = await openServer();
});
afterEach(() => server.close());

/** Leaves each stream after its first piece. */
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

it('leaves nothing behind after 10 000 streams that their clients left', async () => {
  await abortStreams(500, 50);
  await expect.poll(async () => (await server.report()).closed, { timeout: 10_000 }).toBe(500);
  const before = await server.report();

  await abortStreams(10_000, 50);
  await expect.poll(async () => (await server.report()).closed, { timeout: 10_000 }).toBe(10_500);
  await expect.poll(async () => (await server.report()).resources, { timeout: 10_000 }).toEqual(before.resources);
  const after = await server.report();

  expect(after.opened).toBe(10_500);
  expect((after.heapUsed - before.heapUsed) / megabyte).toBeLessThan(3);
});

it('spends less than a megabyte on a client that never reads, and stops asking the model', async () => {
  await abortStreams(100, 20);
  const before = await server.report();
  const sockets = Array.from({ length: 50 }, () => server.openStream());

  await expect.poll(async () => (await server.report()).opened - before.opened).toBe(50);
  let pieces = -1;
  await expect
    .poll(
      async () => {
        const earlier = pieces;
        ({ pieces } = await server.report());
        return pieces === earlier;
      },
      { timeout: 120_000, interval: 500 },
    )
    .toBe(true);
  const stuck = await server.report();

  expect((stuck.rss - before.rss) / sockets.length / megabyte).toBeLessThan(1);
  expect((stuck.heapUsed - before.heapUsed) / sockets.length / megabyte).toBeLessThan(1);

  for (const socket of sockets) socket.destroy();
  await expect.poll(async () => (await server.report()).closed).toBe(stuck.opened);
});
