import { connect, createServer, type Server, type Socket } from 'node:net';

export interface ProxiedConnection {
  readonly client: Socket;
  readonly upstream: Socket;
  /** Closes both sockets at once. */
  readonly end: () => void;
}

/** A proxy for a PostgreSQL server. Its subclasses decide what they forward. */
export abstract class DatabaseProxy {
  readonly #server: Server;
  readonly #connections = new Set<ProxiedConnection>();
  #target: URL | undefined;

  constructor() {
    this.#server = createServer((client) => this.#accept(client));
  }

  async listen(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.listen(0, '127.0.0.1', resolve);
    await promise;
  }

  /** The connection string of the database through the proxy. One server at a time. */
  addressOf(connectionString: string): string {
    const address = this.#server.address();
    const own = new URL(connectionString);
    this.#target = new URL(connectionString);
    own.port = String(typeof address === 'object' && address !== null ? address.port : 0);
    return own.href;
  }

  async close(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    for (const { end } of this.#connections) end();
    await promise;
  }

  protected get connections(): Iterable<ProxiedConnection> {
    return this.#connections;
  }

  /** Called for each new connection. */
  protected abstract forward(connection: ProxiedConnection): void;

  #accept(client: Socket): void {
    const upstream = connect(Number(this.#target?.port), this.#target?.hostname);
    const end = (): void => {
      client.destroy();
      upstream.destroy();
      this.#connections.delete(connection);
    };
    const connection: ProxiedConnection = { client, upstream, end };
    this.#connections.add(connection);
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true);
      socket.on('error', end).on('close', end);
    }
    this.forward(connection);
  }
}
