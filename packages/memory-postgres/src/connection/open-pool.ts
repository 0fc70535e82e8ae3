import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type { DatabaseOpener, OpenedPool } from './database.ts';
import { requirePackage } from './installed-package.ts';
import { explainServerFailure } from './opening-failure.ts';

const openTimeoutMs = 5_000;
const connectTimeoutMs = 5_000;
const statementTimeoutMs = 30_000;
const lockTimeoutMs = 5_000;
const idleInTransactionTimeoutMs = 10_000;

/** The part of a `Pool` of the package `pg` that the storage uses. */
export interface AppPool extends PostgresPool {
  readonly options: { readonly max?: number | undefined };
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'connect', listener: (client: ClientEvents) => void): unknown;
  off(event: 'error', listener: (error: Error) => void): unknown;
  off(event: 'connect', listener: (client: ClientEvents) => void): unknown;
}

interface ClientEvents {
  on(event: 'error', listener: () => void): unknown;
}

/** Opens a pool of its own. @throws ConfigurationError when `pg` is not installed. */
export function serverOpener(connectionString: string, maxConnections: number): DatabaseOpener {
  requirePackage('A database on a server (`connectionString`)', 'pg', () => import.meta.resolve('pg'));
  return { openTimeoutMs, explain: explainServerFailure, open: () => openPool(connectionString, maxConnections) };
}

/** Uses the pool of the app, which stays open when the storage is closed. */
export function appPoolOpener(pool: AppPool): DatabaseOpener {
  return {
    openTimeoutMs,
    explain: explainServerFailure,
    open: async () => ({ ...withErrorListeners(pool), close: async () => {} }),
  };
}

async function openPool(connectionString: string, maxConnections: number): Promise<OpenedPool> {
  const pg = await import('pg');
  const pool = new pg.Pool({
    connectionString,
    max: maxConnections,
    application_name: 'halyard',
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    // Covers a server that is gone and so cannot enforce its own timeout.
    query_timeout: statementTimeoutMs + connectTimeoutMs,
    lock_timeout: lockTimeoutMs,
    idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
    keepAlive: true,
    // Idle connections do not keep the process alive.
    allowExitOnIdle: true,
  });
  return { ...withErrorListeners(pool), close: () => pool.end() };
}

function withErrorListeners(pool: AppPool): Omit<OpenedPool, 'close'> {
  return {
    pool: new GuardedPool(pool),
    isShared: true,
    // Listening reserves one connection, so a pool of one would have none left.
    canListen: (pool.options.max ?? 10) > 1,
    onError: (listener) => {
      pool.on('error', listener);
      // A new connection may fail before the pool hands it out.
      pool.on('connect', ignoreErrors);
      return () => {
        pool.off('error', listener);
        pool.off('connect', ignoreErrors);
      };
    },
  };
}

function ignoreErrors(client: ClientEvents): void {
  client.on('error', () => {});
}

/**
 * A pool whose connections may fail while they are in use. `pg` reports such a failure to the running query and also as an `error` event of the client, which ends
 * the process unless it has a listener. The pool listens only to idle clients.
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
      ignoreErrors(client as PostgresPoolClient & ClientEvents);
    }
    return client;
  }

  async end(): Promise<void> {
    await this.#pool.end();
  }
}
