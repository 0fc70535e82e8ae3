import { closeCodes } from './protocol.ts';
import type { SocketConnection } from './socket-connection.ts';

/** How long a client may take to confirm the close of its connection. */
export const closingMs = 5_000;

/**
 * The open sockets of a server. One timer, which exists only while there are any, pings them to
 * find lost clients.
 */
export class OpenSockets {
  readonly #pingMs: number;
  readonly #open = new Set<SocketConnection>();
  #pings: NodeJS.Timeout | undefined;
  #onIdle: (() => void) | undefined;

  constructor(pingMs: number) {
    this.#pingMs = pingMs;
  }

  get count(): number {
    return this.#open.size;
  }

  enter(connection: SocketConnection): void {
    this.#open.add(connection);
    // After a pause of the process, pongs that have arrived are read before their absence counts.
    this.#pings ??= setInterval(() => setImmediate(() => this.#ping()), this.#pingMs).unref();
    connection.onClose(() => this.#leave(connection));
  }

  /**
   * Closes all connections so that clients reconnect to another process. Terminates those whose
   * clients do not confirm in time.
   */
  async close(graceMs: number): Promise<void> {
    if (this.count === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onIdle = resolve;
    const timer = setTimeout(
      () => {
        for (const connection of this.#open) connection.terminate();
      },
      Math.min(graceMs, closingMs),
    );
    for (const connection of this.#open) connection.close(closeCodes.serviceRestart, 'the server is shutting down');
    await promise;
    clearTimeout(timer);
  }

  #leave(connection: SocketConnection): void {
    this.#open.delete(connection);
    if (this.count > 0) return;
    clearInterval(this.#pings);
    this.#pings = undefined;
    this.#onIdle?.();
  }

  #ping(): void {
    for (const connection of this.#open) connection.ping();
  }
}
