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

export interface ListenOptions {
  readonly channel: string;
  readonly onNotification: (payload: string) => void;
  /** Called whenever a connection begins to listen. Notifications sent before that were missed. */
  readonly onListening: () => void;
  /** Called when a connection cannot be opened. The next attempt follows. */
  readonly onError: (error: unknown) => void;
  readonly signal: AbortSignal;
}

/**
 * Listens on a channel with one connection of the pool, and with a new one when that connection breaks. Resolves when the signal aborts, or at once when the pool
 * cannot spare a connection.
 */
export async function listen({ canListen, isShared, pool }: OpenedPool, options: ListenOptions): Promise<void> {
  if (!isShared || !canListen) return;
  const { onError, onListening, signal } = options;
  for (let waitMs = firstRetryMs; !signal.aborted; waitMs = Math.min(waitMs * 2, longestRetryMs)) {
    try {
      const client = (await pool.connect()) as ListeningClient;
      const onConnected = (): void => {
        waitMs = firstRetryMs;
        onListening();
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
  { channel, onListening, onNotification, signal }: ListenOptions,
): Promise<void> {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const onAbort = (): void => end();
  client.on('error', end);
  client.on('end', end);
  signal.addEventListener('abort', onAbort, { once: true });
  client.on('notification', ({ payload }) => onNotification(payload ?? ''));
  try {
    await client.query(`listen "${channel}"`, []);
    onListening();
    if (!signal.aborted) await ended;
  } finally {
    signal.removeEventListener('abort', onAbort);
    client.removeAllListeners('notification');
    client.release(true);
  }
}
