import { Socket } from 'node:net';
import type { Logger, PoolConnections } from '@halyard/contracts';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type { Client } from 'pg';
import type { DatabaseOpener, OpenedPool } from './database.ts';
import { requirePackage } from './installed-package.ts';
import { explainServerFailure } from './opening-failure.ts';
import { missingTimeouts, refusesTimeouts, type SessionTimeouts, TimedPool } from './session-timeouts.ts';

const openTimeoutMs = 5_000;
/** Includes the wait for a free connection. */
const connectTimeoutMs = 3_000;
const statementTimeoutMs = 30_000;
/** How long a probed server may take to accept a connection, and how long to respond. */
const probeTimeoutMs = 2_000;
const defaultTimeouts: SessionTimeouts = {
  statement_timeout: statementTimeoutMs,
  lock_timeout: 2_000,
  idle_in_transaction_session_timeout: 10_000,
};

/** The part of a `Pool` of the package `pg` that the storage uses. */
export interface AppPool extends PostgresPool {
  readonly options: { readonly max?: number | undefined };
  readonly totalCount?: number;
  readonly idleCount?: number;
  readonly waitingCount?: number;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'connect', listener: (client: ClientEvents) => void): unknown;
  off(event: 'error', listener: (error: Error) => void): unknown;
  off(event: 'connect', listener: (client: ClientEvents) => void): unknown;
}

interface ClientEvents {
  on(event: 'error', listener: () => void): unknown;
}

interface ServerPoolOptions {
  readonly connectionString: string;
  readonly maxConnections: number;
  /** Receives a warning when the connections come without their timeouts. */
  readonly logger: Logger;
}

/** Opens a pool of its own. @throws ConfigurationError when `pg` is not installed. */
export function serverOpener(options: ServerPoolOptions): DatabaseOpener {
  requirePackage('A database on a server (`connectionString`)', 'pg', () => import.meta.resolve('pg'));
  return {
    openTimeoutMs,
    explain: explainServerFailure,
    open: () => openPool(options),
  };
}

/** Uses the pool of the app, which stays open when the storage is closed. */
export function appPoolOpener(pool: AppPool): DatabaseOpener {
  return {
    openTimeoutMs,
    explain: explainServerFailure,
    open: async () => ({ ...withErrorListeners(pool), close: async () => {} }),
  };
}

async function openPool(options: ServerPoolOptions): Promise<OpenedPool> {
  const timeouts = withoutOwn(options.connectionString);
  try {
    return await openPoolWith(options, { timeouts, sent: timeouts });
  } catch (error) {
    if (!refusesTimeouts(error, timeouts)) throw error;
    return openPoolWith(options, { timeouts, sent: {} });
  }
}

/** Timeouts in the connection string take precedence. */
function withoutOwn(connectionString: string): SessionTimeouts {
  const isOwn = (setting: string): boolean => connectionString.includes(`${setting}=`);
  return Object.fromEntries(Object.entries(defaultTimeouts).filter(([setting]) => !isOwn(setting)));
}

interface PoolTimeouts {
  readonly timeouts: SessionTimeouts;
  /** The timeouts that are sent at the start of each connection. */
  readonly sent: SessionTimeouts;
}

async function openPoolWith(
  { connectionString, logger, maxConnections }: ServerPoolOptions,
  { sent, timeouts }: PoolTimeouts,
): Promise<OpenedPool> {
  const pg = await import('pg');
  const sockets = new Set<Socket>();
  const pool = new pg.Pool({
    connectionString,
    max: maxConnections,
    application_name: 'halyard',
    connectionTimeoutMillis: connectTimeoutMs,
    // Covers a server that cannot enforce its own timeout. A silent one is noticed earlier.
    query_timeout: statementTimeoutMs + connectTimeoutMs,
    ...sent,
    keepAlive: true,
    // Idle connections do not keep the process alive.
    allowExitOnIdle: true,
    stream: () => {
      const socket = new Socket();
      sockets.add(socket);
      return socket.once('close', () => sockets.delete(socket));
    },
  });
  // A connection may still fail after the database was closed, such as when the server stops at the
  // same time.
  pool.on('error', () => {});
  pool.on('connect', ignoreErrors);
  const client = { connectionString, connectionTimeoutMillis: probeTimeoutMs, query_timeout: probeTimeoutMs };
  const probing = {
    probe: () => probe(new pg.Client(client)),
    closeConnections: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
  const opened = { ...withErrorListeners(pool), probing, close: () => pool.end() };
  try {
    const missing = await missingTimeouts(opened.pool, timeouts, logger);
    return Object.keys(missing).length === 0 ? opened : { ...opened, pool: new TimedPool(opened.pool, missing) };
  } catch (error) {
    await pool.end();
    throw error;
  }
}

/** Resolves when the server responds, even with an error. Rejects when it sends nothing. */
async function probe(client: Client): Promise<void> {
  ignoreErrors(client);
  try {
    await client.connect();
    await client.query('select 1');
  } catch (error) {
    const isResponse = error instanceof Error && 'severity' in error;
    if (!isResponse) throw error;
  } finally {
    // A silent server does not respond to the farewell either.
    void client.end().catch(() => {});
  }
}

function withErrorListeners(pool: AppPool): Omit<OpenedPool, 'close'> {
  return {
    pool: new GuardedPool(pool),
    isShared: true,
    // Listening reserves one connection, so a pool of one would have none left.
    canListen: readMax(pool) > 1,
    connections: () => readConnections(pool),
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

/** The default is that of `pg`. */
function readMax({ options: { max = 10 } }: AppPool): number {
  return max;
}

/** Undefined for a pool of another kind, which does not count. */
function readConnections(pool: AppPool): PoolConnections | undefined {
  const { idleCount: idle, totalCount: total, waitingCount: waiting } = pool;
  if (idle === undefined || total === undefined || waiting === undefined) return undefined;
  return { total, idle, waiting, max: readMax(pool) };
}

function ignoreErrors(client: ClientEvents): void {
  client.on('error', () => {});
}

/**
 * A pool whose connections may fail while they are in use. `pg` reports such a failure to the
 * running query and also as an `error` event of the client, which ends the process unless it has a
 * listener. The pool listens only to idle clients.
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
