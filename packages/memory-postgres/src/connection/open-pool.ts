import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type { DatabaseOpener, OpenedPool } from './database.ts';

const patienceMs = 5_000;
const connectTimeoutMs = 5_000;
const statementTimeoutMs = 30_000;
const lockTimeoutMs = 5_000;
const idleInTransactionTimeoutMs = 10_000;

/** What is needed of a `Pool` of the package `pg`. */
export interface AppPool extends PostgresPool {
  readonly options: { readonly max?: number | undefined };
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'connect', listener: (client: EventedClient) => void): unknown;
  off(event: 'error', listener: (error: Error) => void): unknown;
  off(event: 'connect', listener: (client: EventedClient) => void): unknown;
}

interface EventedClient {
  on(event: 'error', listener: () => void): unknown;
}

/** A pool of connections of our own. */
export function serverOpener(connectionString: string, maxConnections: number): DatabaseOpener {
  return { patienceMs, open: () => openPool(connectionString, maxConnections) };
}

async function openPool(connectionString: string, maxConnections: number): Promise<OpenedPool> {
  const pg = await import('pg');
  const pool = new pg.Pool({
    connectionString,
    max: maxConnections,
    application_name: 'halyard',
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    // A server that is gone, without a word, sends no timeout.
    query_timeout: statementTimeoutMs + connectTimeoutMs,
    lock_timeout: lockTimeoutMs,
    idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
    keepAlive: true,
  });
  return { ...given(pool), close: () => pool.end() };
}

/** The pool of an app, which goes on when the storage is closed. */
export function appPoolOpener(pool: AppPool): DatabaseOpener {
  return { patienceMs, open: async () => ({ ...given(pool), close: async () => {} }) };
}

function given(pool: AppPool): Omit<OpenedPool, 'close'> {
  return {
    pool: new GuardedPool(pool),
    isShared: true,
    // One connection is kept to listen: of a pool of one, none would be left.
    canListen: (pool.options.max ?? 10) > 1,
    onError: (listener) => {
      pool.on('error', listener);
      // A connection may break off in the moment that it comes about, before whoever wanted it has it.
      pool.on('connect', guard);
      return () => {
        pool.off('error', listener);
        pool.off('connect', guard);
      };
    },
  };
}

function guard(client: EventedClient): void {
  client.on('error', () => {});
}

/**
 * A pool whose connections may break off while they are in use. The pool hears of those that lie idle; of the others the query in hand is told, and, in an event
 * of its own that ends the process if nobody listens, the client.
 */
class GuardedPool implements PostgresPool {
  readonly options: object;
  readonly #pool: PostgresPool;
  readonly #guarded = new WeakSet<PostgresPoolClient>();

  constructor(pool: PostgresPool) {
    this.#pool = pool;
    this.options = pool.options;
  }

  async connect(): Promise<PostgresPoolClient> {
    const client = await this.#pool.connect();
    if (!this.#guarded.has(client)) {
      this.#guarded.add(client);
      guard(client as PostgresPoolClient & EventedClient);
    }
    return client;
  }

  async end(): Promise<void> {
    await this.#pool.end();
  }
}
