import { connect, createServer, type Socket } from 'node:net';
import { freePort } from './free-port.ts';

/** A proxy that can become silent: connections stay open, and nothing passes until it is healed. */
export interface SilentProxy {
  readonly connectionString: string;
  readonly silence: () => void;
  readonly heal: () => void;
  readonly close: () => Promise<void>;
}

/** @param target the connection string of the server behind the proxy. */
export async function startSilentProxy(target: string): Promise<SilentProxy> {
  const sockets = new Set<Socket>();
  let isSilent = false;
  const upstream = new URL(target);
  const server = createServer((client) => {
    const other = connect(Number(upstream.port), upstream.hostname);
    const pairs = [
      [client, other],
      [other, client],
    ] as const;
    for (const [from, to] of pairs) {
      sockets.add(from);
      from
        .on('error', () => {})
        .on('close', () => {
          sockets.delete(from);
          to.destroy();
        });
      from.on('data', (chunk) => to.write(chunk));
      if (isSilent) from.pause();
    }
  });
  const port = await freePort();
  const listening = Promise.withResolvers<void>();
  server.listen(port, '127.0.0.1', listening.resolve);
  await listening.promise;
  const own = new URL(target);
  own.port = String(port);
  return {
    connectionString: own.href,
    silence: () => {
      isSilent = true;
      for (const socket of sockets) socket.pause();
    },
    heal: () => {
      isSilent = false;
      for (const socket of sockets) socket.resume();
    },
    close: async () => {
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      for (const socket of sockets) socket.destroy();
      await closed.promise;
    },
  };
}
