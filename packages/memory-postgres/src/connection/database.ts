import { setTimeout as delay } from 'node:timers/promises';
import { ConfigurationError, isHalyardError, type Logger, type PoolConnections } from '@halyard/contracts';
import { Kysely, PostgresDialect, type PostgresPool, sql } from 'kysely';
import { migrate } from '../migrations/migrate.ts';
import type { MigrationSet } from '../migrations/migration.ts';
import { quotedSchema } from '../migrations/migrations.ts';
import { type Probing, SilenceWatch } from './silence-watch.ts';
import { isBroken, isLostConnection, storageUnavailable, toStorageError } from './storage-unavailable.ts';
import type { Tables } from './tables.ts';

/** An open pool of connections. */
export interface OpenedPool {
  readonly pool: PostgresPool;
  /**
   * Calls the listener when an idle connection fails. @returns a function that removes the
   * listener.
   */
  readonly onError: (listener: (error: Error) => void) => () => void;
  readonly close: () => Promise<void>;
  /** Whether other processes can write to the database. */
  readonly isShared: boolean;
  /** Whether one connection may be reserved for `LISTEN`. */
  readonly canListen: boolean;
  /** Absent: an embedded database, which has one connection. */
  readonly connections?: () => PoolConnections | undefined;
  /** Absent: a server that is silent is noticed by the timeouts of the pool. */
  readonly probing?: Probing;
}

/** How to open a database. */
export interface DatabaseOpener {
  readonly open: (signal: AbortSignal) => Promise<OpenedPool>;
  /**
   * Explains a failure to open that no retry solves until somebody acts. Undefined for a temporary
   * failure.
   */
  readonly explain?: (error: unknown) => ConfigurationError | undefined;
  /** How long a query waits for the database to open. */
  readonly openTimeoutMs: number;
}

export interface DatabaseOptions extends DatabaseOpener {
  readonly migrations: MigrationSet;
  readonly schema: string;
  readonly autoMigrate: boolean;
  readonly logger: Logger;
  /** Added to the database's clock. Tests change it. */
  readonly shiftMs: () => number;
}

interface QueryOptions {
  /**
   * Whether to send the query again, once, when the connection is lost before its result arrives.
   */
  readonly retry?: boolean | undefined;
}

const firstRetryMs = 100;
const longestRetryMs = 5_000;

/**
 * A database with the tables of one migration set. It opens in the background and keeps trying
 * while the server is down. Queries wait for it up to `openTimeoutMs` and then reject with
 * `STORAGE_UNAVAILABLE`; immediately, if somebody must act before it can be opened. Waiting for the
 * next attempt does not keep the process alive.
 *
 * Queries are built with Kysely ({@link run}, {@link read}) or call an SQL function ({@link call},
 * {@link callScalar}).
 */
export class Database<Schema = Tables> {
  /** The schema's name, quoted for use in SQL. */
  readonly schema: string;
  readonly #options: DatabaseOptions;
  readonly #closing = new AbortController();
  readonly #opening: Promise<void>;
  readonly #attempted: PromiseWithResolvers<void> = Promise.withResolvers();
  #opened: OpenedPool | undefined;
  #silence: SilenceWatch | undefined;
  #removeErrorListener: (() => void) | undefined;
  #kysely: Kysely<Schema> | undefined;
  #failure: unknown;

  constructor(options: DatabaseOptions) {
    this.#options = options;
    this.schema = quotedSchema(options.schema);
    this.#opening = this.#openWithRetries();
  }

  get shiftMs(): number {
    return this.#options.shiftMs();
  }

  /**
   * Explains a failure to open that no retry solves until somebody acts. Undefined for a temporary
   * failure.
   */
  explain(error: unknown): ConfigurationError | undefined {
    return this.#options.explain?.(error);
  }

  /**
   * A database for the tables of another package that uses the same connections. Closing it does
   * not close this one.
   */
  share<Other>(
    migrations: MigrationSet,
    changes: Partial<Pick<DatabaseOptions, 'autoMigrate' | 'explain' | 'logger' | 'schema'>>,
  ): Database<Other> {
    const open = async (signal: AbortSignal): Promise<OpenedPool> => {
      const opened = await Promise.race([this.whenOpened(), aborted(signal)]);
      if (opened === undefined) throw storageUnavailable(this.#failure);
      return { ...opened, onError: () => () => {}, close: async () => {} };
    };
    const shared = new Database<Other>({ ...this.#options, ...changes, migrations, open });
    void this.#attempted.promise.then(() => {
      if (this.#kysely === undefined) shared.#failFirstAttempt(this.#failure);
    });
    return shared;
  }

  #failFirstAttempt(failure: unknown): void {
    this.#failure = failure;
    this.#attempted.resolve();
  }

  /**
   * Runs queries built with Kysely. Not retried by default.
   *
   * @throws UnavailableError (`STORAGE_UNAVAILABLE`) when the database cannot be reached.
   */
  async run<Result>(
    work: (db: Kysely<Schema>) => Promise<Result>,
    { retry = false }: QueryOptions = {},
  ): Promise<Result> {
    const db = (await this.#whenReady()).withSchema(this.#options.schema);
    return this.#send(() => work(db), retry);
  }

  /** Runs queries that only read, and so may be retried. Rejects like {@link run}. */
  async read<Result>(work: (db: Kysely<Schema>) => Promise<Result>): Promise<Result> {
    return this.run(work, { retry: true });
  }

  /**
   * Calls an SQL function of the schema that returns a table. Retried by default: the functions are
   * written so that a second call has no further effect. Rejects like {@link run}.
   */
  async call<Row>(
    name: string,
    parameters: readonly unknown[],
    { retry = true }: QueryOptions = {},
  ): Promise<readonly Row[]> {
    await this.#whenReady();
    const placeholders = parameters.map((_, index) => `$${index + 1}`).join(', ');
    const text = `select * from ${this.schema}.${name}(${placeholders})`;
    return this.#send(() => this.#query<Row>(text, parameters), retry);
  }

  /** The same for a function that returns one value, or a set of single values. */
  async callScalar<Value>(name: string, parameters: readonly unknown[]): Promise<readonly Value[]> {
    const rows = await this.call<Readonly<Record<string, Value>>>(name, parameters);
    // PostgreSQL names the only column after the function.
    return rows.map((row) => row[name] as Value);
  }

  /**
   * The pool, once the database is open and migrated. Undefined when the database is closed before
   * that.
   */
  async whenOpened(): Promise<OpenedPool | undefined> {
    await this.#opening;
    return this.#kysely === undefined ? undefined : this.#opened;
  }

  /**
   * Resolves after the first attempt to open the database. @throws ConfigurationError when no retry
   * can succeed until somebody acts.
   */
  async firstAttempt(): Promise<void> {
    await this.#attempted.promise;
    if (this.#failure instanceof ConfigurationError) throw this.#failure;
  }

  /**
   * @throws UnavailableError, or the ConfigurationError that prevents the database from being
   * opened.
   */
  async check(): Promise<void> {
    if (this.#kysely === undefined)
      throw isHalyardError(this.#failure) ? this.#failure : storageUnavailable(this.#failure);
    await this.run((db) => sql`select 1`.execute(db));
  }

  /** The connections of the open pool. Undefined for an embedded database. */
  connections(): PoolConnections | undefined {
    return this.#opened?.connections?.();
  }

  /** Stops the attempts to open the database. */
  stopOpening(): void {
    this.#closing.abort();
  }

  async close(): Promise<void> {
    this.stopOpening();
    await this.#opening;
    this.#removeErrorListener?.();
    this.#silence?.close();
    const opened = this.#opened;
    [this.#kysely, this.#opened] = [undefined, undefined];
    await opened?.close();
  }

  async #send<Result>(query: () => Promise<Result>, retry: boolean): Promise<Result> {
    const silence = this.#silence;
    const attempt = silence === undefined ? query : (): Promise<Result> => silence.run(query);
    try {
      return await attempt();
    } catch (error) {
      if (!retry || !isLostConnection(error)) throw toStorageError(error);
    }
    try {
      return await attempt();
    } catch (error) {
      throw toStorageError(error);
    }
  }

  async #query<Row>(text: string, values: readonly unknown[]): Promise<readonly Row[]> {
    if (this.#opened === undefined) throw storageUnavailable(this.#failure);
    const client = await this.#opened.pool.connect();
    let failure: unknown;
    try {
      return (await client.query<Row>(text, values)).rows;
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      client.release(isBroken(failure));
    }
  }

  async #whenReady(): Promise<Kysely<Schema>> {
    if (this.#kysely !== undefined) return this.#kysely;
    const timeout = new AbortController();
    const timer = delay(this.#options.openTimeoutMs, undefined, { signal: timeout.signal }).catch(() => {});
    await Promise.race([this.#attempted.promise, timer]);
    if (!(this.#failure instanceof ConfigurationError)) await Promise.race([this.#opening, timer]);
    timeout.abort();
    if (this.#kysely === undefined) throw storageUnavailable(this.#failure);
    return this.#kysely;
  }

  /** Resolves when the database is open, was closed, or can never be opened. Does not reject. */
  async #openWithRetries(): Promise<void> {
    try {
      await this.#attemptUntilOpen();
    } finally {
      this.#attempted.resolve();
    }
  }

  async #attemptUntilOpen(): Promise<void> {
    const { logger, schema } = this.#options;
    const { signal } = this.#closing;
    for (let waitMs = firstRetryMs; !signal.aborted; waitMs = Math.min(waitMs * 2, longestRetryMs)) {
      try {
        await this.#open();
        if (this.#failure !== undefined) logger.info({ schema }, 'The database is available');
        this.#failure = undefined;
        return;
      } catch (error) {
        this.#failure = error;
        // Closed while it was opening, which is not a failure.
        if (signal.aborted) return;
        if (this.#opened === undefined && isHalyardError(error)) {
          logger.error({ err: error }, error.message);
          return;
        }
        const explained = error instanceof ConfigurationError ? error : this.explain(error);
        if (explained !== undefined) {
          this.#failure = explained;
          this.#attempted.resolve();
          // A server ends now with this error. Whatever runs on gets it in the log.
          await delay(longestRetryMs, undefined, { signal, ref: false }).catch(() => {});
          if (!signal.aborted) logger.error({ err: explained }, explained.message);
          continue;
        }
        this.#attempted.resolve();
        logger.warn({ err: error, retryInMs: waitMs }, 'The database cannot be opened; retrying');
        await delay(waitMs, undefined, { signal, ref: false }).catch(() => {});
      }
    }
  }

  async #open(): Promise<void> {
    const { autoMigrate, logger, migrations, open, schema } = this.#options;
    if (this.#opened === undefined) {
      this.#opened = await open(this.#closing.signal);
      this.#removeErrorListener = this.#opened.onError((error) => {
        logger.warn({ err: error }, 'A database connection failed');
      });
    }
    const { pool, probing } = this.#opened;
    await migrate(pool, migrations, { schema, autoMigrate });
    this.#silence ??= probing && new SilenceWatch(probing, logger);
    this.#kysely = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  }
}

function aborted(signal: AbortSignal): Promise<undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  signal.addEventListener('abort', () => resolve(undefined), { once: true });
  return promise;
}
