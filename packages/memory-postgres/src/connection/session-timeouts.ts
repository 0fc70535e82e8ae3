import type { Logger } from '@halyard/contracts';
import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import { isBroken } from './storage-unavailable.ts';

/** A timeout of a PostgreSQL session. */
type Setting = 'statement_timeout' | 'lock_timeout' | 'idle_in_transaction_session_timeout';

/** Milliseconds of each timeout. */
export type SessionTimeouts = Readonly<Partial<Record<Setting, number>>>;

interface Session extends Readonly<Record<Setting, string | null>> {
  /** Quoted for use in SQL. */
  readonly role: string;
}

/** The part of a client of `pg` that is used besides its queries. */
interface EventClient extends PostgresPoolClient {
  on(event: string, listener: (...values: readonly unknown[]) => void): unknown;
  removeAllListeners(event: string): unknown;
}

/**
 * Whether the server, or a pooler in front of it, refuses a connection because of timeouts that are
 * sent at its start.
 */
export function refusesTimeouts(error: unknown, timeouts: SessionTimeouts): boolean {
  if (!(error instanceof Error) || !('severity' in error)) return false;
  return Object.keys(timeouts).some((setting) => error.message.includes(setting));
}

/**
 * The timeouts that are not in force on a connection. Poolers refuse or ignore those that are sent
 * at its start; the settings of the role are in force all the same. Logs a warning that names the
 * settings that the role lacks.
 */
export async function missingTimeouts(
  pool: PostgresPool,
  timeouts: SessionTimeouts,
  logger: Logger,
): Promise<SessionTimeouts> {
  const session = await readSession(pool, timeouts);
  if (session === undefined) return {};
  // Null: a server that does not know the setting.
  const missing = Object.entries(timeouts).filter(([setting]) => Reflect.get(session, setting) === '0');
  if (missing.length === 0) return {};
  const statements = missing.map(([setting, ms]) => `alter role ${session.role} set ${setting} = '${ms / 1_000}s';`);
  logger.warn(
    { timeouts: Object.fromEntries(missing) },
    `A pooler in front of the database does not pass on the timeouts of the storage, so each statement runs in a transaction that sets them, with two further round trips. Set them on the role instead, then let the pooler open new connections and restart: ${statements.join(' ')}`,
  );
  return Object.fromEntries(missing);
}

async function readSession(pool: PostgresPool, timeouts: SessionTimeouts): Promise<Session | undefined> {
  const settings = Object.keys(timeouts).map((setting) => `current_setting('${setting}', true) as ${setting}`);
  const client = await pool.connect();
  let failure: unknown;
  try {
    const { rows } = await client.query<Session>(
      `select ${['quote_ident(session_user) as role', ...settings].join(', ')}`,
      [],
    );
    return rows[0];
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    client.release(isBroken(failure));
  }
}

/**
 * A pool that runs each statement in a transaction with timeouts. Statements between `begin` and
 * `commit` share theirs.
 */
export class TimedPool implements PostgresPool {
  readonly options: object;
  readonly #pool: PostgresPool;
  readonly #setTimeouts: string;
  readonly #clients = new WeakMap<PostgresPoolClient, TimedClient>();

  constructor(pool: PostgresPool, timeouts: SessionTimeouts) {
    this.options = pool.options;
    this.#pool = pool;
    this.#setTimeouts = Object.entries(timeouts)
      .map(([setting, ms]) => `set local ${setting} = ${ms}`)
      .join('; ');
  }

  async connect(): Promise<PostgresPoolClient> {
    const client = await this.#pool.connect();
    const timed = this.#clients.get(client) ?? new TimedClient(client as EventClient, this.#setTimeouts);
    this.#clients.set(client, timed);
    return timed;
  }

  async end(): Promise<void> {
    await this.#pool.end();
  }
}

class TimedClient implements EventClient {
  readonly #client: EventClient;
  readonly #setTimeouts: string;
  #isInTransaction = false;

  constructor(client: EventClient, setTimeouts: string) {
    this.#client = client;
    this.#setTimeouts = setTimeouts;
  }

  query<Row>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<Row>>;
  query<Row>(cursor: PostgresCursor<Row>): PostgresCursor<Row>;
  query<Row>(
    text: string | PostgresCursor<Row>,
    values: readonly unknown[] = [],
  ): Promise<PostgresQueryResult<Row>> | PostgresCursor<Row> {
    return typeof text === 'string' ? this.#query<Row>(text, values) : this.#client.query<Row>(text);
  }

  on(event: string, listener: (...values: readonly unknown[]) => void): void {
    this.#client.on(event, listener);
  }

  removeAllListeners(event: string): void {
    this.#client.removeAllListeners(event);
  }

  release(destroy?: boolean): void {
    this.#client.release(destroy);
  }

  async #query<Row>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<Row>> {
    if (text === 'commit' || text === 'rollback') {
      this.#isInTransaction = false;
      return this.#client.query<Row>(text, values);
    }
    if (this.#isInTransaction) return this.#client.query<Row>(text, values);
    if (text !== 'begin') return this.#queryAlone<Row>(text, values);
    const begun = await this.#begin<Row>();
    this.#isInTransaction = true;
    return begun;
  }

  /** One round trip. */
  #begin<Row>(): Promise<PostgresQueryResult<Row>> {
    return this.#client.query<Row>(`begin; ${this.#setTimeouts}`, []);
  }

  async #queryAlone<Row>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<Row>> {
    await this.#begin();
    try {
      const result = await this.#client.query<Row>(text, values);
      await this.#client.query('commit', []);
      return result;
    } catch (error) {
      // Runs before the next statement, also where a statement without a result is still running.
      const ended = this.#client.query('rollback', []).catch(() => {});
      if (!isBroken(error)) await ended;
      throw error;
    }
  }
}
