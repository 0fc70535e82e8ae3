import { CallerSlots } from '../lifecycle/caller-slots.ts';
import type { Limits } from '../limits.ts';
import { closeCodes } from './protocol.ts';
import type { SocketConnection } from './socket-connection.ts';

/** How long a client may take to confirm the close of its connection. */
export const closingMs = 5_000;

type SocketLimits = Pick<Limits, 'pingMs' | 'webSocketsPerCaller' | 'webSocketsPerProcess'>;

/** Limits the open sockets of a server, and pings them with one timer, which exists only while there are any, to find lost clients. */
export class OpenSockets {
  readonly #pingMs: number;
  readonly #slots: CallerSlots;
  readonly #open = new Set<SocketConnection>();
  #pings: NodeJS.Timeout | undefined;
  #onIdle: (() => void) | undefined;

  constructor(limits: SocketLimits) {
    this.#pingMs = limits.pingMs;
    this.#slots = new CallerSlots({
      what: 'open WebSockets',
      advice: 'close one first',
      code: 'TOO_MANY_WEBSOCKETS',
      perCaller: limits.webSocketsPerCaller,
      perProcess: limits.webSocketsPerProcess,
    });
  }

  get count(): number {
    return this.#open.size;
  }

  /** @throws HalyardError `TOO_MANY_WEBSOCKETS` when the caller has too many, `OVERLOADED` when the process has. */
  checkRoom(caller: string): void {
    this.#slots.check(caller);
  }

  enter(connection: SocketConnection, caller: string): void {
    this.#open.add(connection);
    const release = this.#slots.take(caller);
    // After a pause of the process, pongs that have arrived are read before their absence counts.
    this.#pings ??= setInterval(() => setImmediate(() => this.#ping()), this.#pingMs).unref();
    connection.onClose(() => {
      release();
      this.#leave(connection);
    });
  }

  /** Closes all connections so that clients reconnect to another process. Terminates those whose clients do not confirm in time. */
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
