import { DatabaseProxy, type ProxiedConnection } from './database-proxy.ts';

/**
 * A proxy for a PostgreSQL server that can become silent: the connections stay open, and nothing
 * passes in either direction. What was sent in the meantime arrives when the network heals, as with
 * TCP.
 */
export class SilentProxy extends DatabaseProxy {
  #isSilent = false;

  silence(): void {
    this.#isSilent = true;
    for (const connection of this.connections) pause(connection);
  }

  heal(): void {
    this.#isSilent = false;
    for (const { client, upstream } of this.connections) {
      client.resume();
      upstream.resume();
    }
  }

  protected override forward(connection: ProxiedConnection): void {
    const { client, upstream } = connection;
    client.on('data', (chunk: Buffer) => upstream.write(chunk));
    upstream.on('data', (chunk: Buffer) => client.write(chunk));
    if (this.#isSilent) pause(connection);
  }
}

/**
 * The bytes stay in the buffers of the sockets. A connection that the other side has closed is not
 * closed before the network heals.
 */
function pause({ client, upstream }: ProxiedConnection): void {
  client.pause();
  upstream.pause();
}
