import { setTimeout as delay } from 'node:timers/promises';
import type { PostgresPoolClient } from 'kysely';
import type { OpenedPool } from './database.ts';

const firstRetryMs = 100;
const longestRetryMs = 5_000;

/** The part of a connection of `pg` that receives notifications. */
interface ListeningClient extends PostgresPoolClient {
  on(event: 'notification', listener: (message: { readonly payload?: string | undefined }) => void): unknown;
  on(event: 'error' | 'end', listener: () => void): unknown;
  removeAllListeners(event: 'notification'): unknown;
}

/** A connection that listens. */
export interface ListeningConnection {
  /** Runs a statement in its session. Rejects when the connection breaks. */
  readonly query: (text: string, values: readonly unknown[]) => Promise<void>;
  /** Ends it. Another one follows. */
  readonly end: () => void;
}

export interface ListenOptions {
  readonly channel: string;
  readonly onNotification: (payload: string) => void;
  /** Called whenever a connection begins to listen. Notifications sent before that were missed. */
  readonly onListening: (connection: ListeningConnection) => void;
  /** Called when it no longer listens. */
  readonly onBroken: () => void;
  /** Called when a connection cannot be opened. The next attempt follows. */
  readonly onError: (error: unknown) => void;
  readonly signal: AbortSignal;
}

/**
 * Listens on a channel with one connection of the pool, and with a new one when that connection
 * breaks. Resolves when the signal aborts, or at once when the pool cannot spare a connection.
 */
export async function listen({ canListen, isShared, pool }: OpenedPool, options: ListenOptions): Promise<void> {
  if (!isShared || !canListen) return;
  const { onError, onListening, signal } = options;
  for (let waitMs = firstRetryMs; !signal.aborted; waitMs = Math.min(waitMs * 2, longestRetryMs)) {
    try {
      const client = (await pool.connect()) as ListeningClient;
      const onConnected = (connection: ListeningConnection): void => {
        waitMs = firstRetryMs;
        onListening(connection);
      };
      await listenUntilBroken(client, { ...options, onListening: onConnected });
    } catch (error) {
      onError(error);
    }
    await delay(waitMs, undefined, { signal, ref: false }).catch(() => {});
  }
}

async function listenUntilBroken(
  client: ListeningClient,
  { channel, onBroken, onListening, onNotification, signal }: ListenOptions,
): Promise<void> {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const onAbort = (): void => end();
  client.on('error', end);
  client.on('end', end);
  signal.addEventListener('abort', onAbort, { once: true });
  client.on('notification', ({ payload }) => onNotification(payload ?? ''));
  try {
    await client.query(`listen "${channel}"`, []);
    const query: ListeningConnection['query'] = async (text, values) => void (await client.query(text, values));
    onListening({ query, end });
    if (!signal.aborted) await ended;
  } finally {
    onBroken();
    signal.removeEventListener('abort', onAbort);
    client.removeAllListeners('notification');
    client.release(true);
  }
}
