import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy whose connections a test can cut, and that can be away for a while. */
export interface CuttableProxy {
  readonly origin: string;
  /** How many connections were accepted. */
  readonly accepted: () => number;
  /** Breaks all open connections. */
  readonly cut: () => void;
  /** Refuses connections until it is opened again. */
  readonly leave: () => Promise<void>;
  readonly comeBack: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export async function openCuttableProxy(target: () => string): Promise<CuttableProxy> {
  const sockets = new Set<Socket>();
  let accepted = 0;
  const proxy = createServer((client) => {
    accepted += 1;
    const { hostname, port } = new URL(target());
    const server = connect({ host: hostname, port: Number(port) });
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(from);
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  const listen = async (port: number): Promise<void> => {
    proxy.listen(port, '127.0.0.1');
    await once(proxy, 'listening');
  };
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const leave = async (): Promise<void> => {
    const closed = once(proxy, 'close');
    proxy.close();
    cut();
    await closed;
  };
  await listen(0);
  const { port } = proxy.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    accepted: () => accepted,
    cut,
    leave,
    comeBack: () => listen(port),
    close: leave,
  };
}
