import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';

/** A connection to a server that can be lost. */
export interface Proxy {
  readonly url: string;
  /** From now on, nothing from the server arrives. {@link cut} ends it. */
  holdReplies: () => void;
  /** Closes all connections, and refuses new ones until {@link restore} is called. */
  cut: () => void;
  restore: () => void;
  close: () => Promise<void>;
}

/** Forwards all connections to the server at `target`. */
export async function openProxy(target: string): Promise<Proxy> {
  const sockets = new Set<Socket>();
  let isCut = false;
  let isHolding = false;
  const { hostname, port } = new URL(target);
  const closeAll = (): void => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  const server = createServer((client) => {
    if (isCut) {
      client.destroy();
      return;
    }
    const upstream = connect(Number(port), hostname);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => other.destroy());
    }
    const replies = new Transform({
      transform: (chunk, _, callback) => (isHolding ? callback() : callback(null, chunk)),
    });
    client.pipe(upstream).pipe(replies).pipe(client);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    holdReplies: () => {
      isHolding = true;
    },
    cut: () => {
      isCut = true;
      isHolding = false;
      closeAll();
    },
    restore: () => {
      isCut = false;
    },
    close: async () => {
      server.close();
      closeAll();
      await once(server, 'close');
    },
  };
}
