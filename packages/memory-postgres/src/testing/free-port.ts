import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Linux uses ports from here on for outgoing connections, so one could be taken while a process
 * restarts.
 */
const firstEphemeral = 32_768;
const firstUnprivileged = 10_240;

/** A free port for a process that may be restarted. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(firstUnprivileged, firstEphemeral);
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
