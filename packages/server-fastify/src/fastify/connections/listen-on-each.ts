import { promises as dns } from 'node:dns';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { ListenAddress } from '../../listen-address.ts';

/**
 * Returns a function that listens on each address of a host: `localhost` can have two, 127.0.0.1 and ::1. It resolves to the first origin.
 *
 * Fastify would listen on the second address with an HTTP server of its own, without our handling of connections, and with connections
 * that outlive its close. Here they are connections of the app's server.
 */
export function listenOnEachAddressOf(app: FastifyInstance): (address: ListenAddress) => Promise<string> {
  const { server } = app;
  const others = new Set<Server>();
  app.addHook('preClose', async () => others.forEach((other) => other.close()));
  const close = server.close.bind(server);
  server.close = (done) =>
    close((error) => {
      const finish = (): void => {
        if (others.size === 0) done?.(error);
      };
      for (const other of others) other.once('close', finish);
      finish();
    });

  return async ({ host, port }) => {
    const [first = host, ...rest] = host === 'localhost' ? await addressesOf(host) : [host];
    const origin = await app.listen({ host: first, port });
    for (const address of rest) {
      const other = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => server.emit('connection', socket));
      if (await listens(other, address, Number(new URL(origin).port))) {
        others.add(other.once('close', () => others.delete(other)));
        app.log.info(`Server listening at ${originOf(address, new URL(origin).port)}`);
      }
    }
    return origin;
  };
}

async function addressesOf(host: string): Promise<readonly string[]> {
  const found = await dns.lookup(host, { all: true });
  return [...new Set(found.map(({ address }) => address))];
}

/** Not every machine has each of the addresses that its name server knows. */
async function listens(server: Server, host: string, port: number): Promise<boolean> {
  try {
    await once(server.listen({ host, port }), 'listening');
    return true;
  } catch {
    return false;
  }
}

function originOf(address: string, port: string): string {
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
}
