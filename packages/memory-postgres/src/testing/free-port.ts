import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Linux gives these to connections that go out, any of them at any time: a process that is started again might find its own taken. */
const firstOfOutgoing = 32_768;
const firstForAll = 10_240;

/** A port that nobody listens on, for a process that may be stopped and started again. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(firstForAll, firstOfOutgoing);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const { promise, resolve } = Promise.withResolvers<boolean>();
  server.once('error', () => resolve(false));
  server.listen(port, '0.0.0.0', () => server.close(() => resolve(true)));
  return promise;
}
