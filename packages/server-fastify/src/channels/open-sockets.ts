import { HalyardError } from '@halyard/contracts';
import type { Limits } from '../limits.ts';
import { closeCodes } from './close-codes.ts';
import type { SocketConnection } from './socket-connection.ts';

/** How long a peer may take to answer that the connection is closed. */
export const closingMs = 5_000;

type SocketLimits = Pick<Limits, 'pingMs' | 'webSocketsPerProcess'>;

/** Counts the open sockets of a server and finds out with one timer which peers are gone; it exists only while there are any. */
export class OpenSockets {
  readonly #limits: SocketLimits;
  readonly #open = new Set<SocketConnection>();
  #pings: NodeJS.Timeout | undefined;
  #onIdle: (() => void) | undefined;

  constructor(limits: SocketLimits) {
    this.#limits = limits;
  }

  get count(): number {
    return this.#open.size;
  }

  /** @throws HalyardError `OVERLOADED` when the process has as many as it may. */
  checkRoom(): void {
    if (this.count >= this.#limits.webSocketsPerProcess)
      throw new HalyardError('unavailable', 'OVERLOADED', 'The server has too many open WebSockets');
  }

  enter(connection: SocketConnection): void {
    this.#open.add(connection);
    // Answers that came while the process was busy are read before those who gave none are given up.
    this.#pings ??= setInterval(() => setImmediate(() => this.#ping()), this.#limits.pingMs).unref();
    connection.onClose(() => this.#leave(connection));
  }

  /** Tells all clients to come back to another process, and waits for their answers; who gives none in time is given up. */
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
