import { setTimeout as delay } from 'node:timers/promises';
import { isHalyardError, type Logger } from '@halyard/contracts';
import { Kysely, PostgresDialect, type PostgresPool } from 'kysely';
import { migrate } from '../migrations/migrate.ts';
import type { MigrationSet } from '../migrations/migration.ts';
import { quotedSchema } from './schema-name.ts';
import { asStorageError, isBroken, isLostConnection, storageUnavailable } from './storage-unavailable.ts';
import type { Tables } from './tables.ts';

/** Connections to a database, however it is reached. */
export interface OpenedPool {
  readonly pool: PostgresPool;
  /** Told of connections that break while nobody uses them. @returns stops it. */
  readonly onError: (listener: (error: Error) => void) => () => void;
  readonly close: () => Promise<void>;
  /** Whether other processes write to the database too. */
  readonly isShared: boolean;
  /** Whether a connection may be kept to hear of their changes. */
  readonly canListen: boolean;
}

/** A way to a database that is not open yet. */
export interface DatabaseOpener {
  readonly open: (signal: AbortSignal) => Promise<OpenedPool>;
  /** How long a call waits for it to open. */
  readonly patienceMs: number;
}

export interface DatabaseOptions extends DatabaseOpener {
  readonly migrations: MigrationSet;
  readonly schema: string;
  readonly autoMigrate: boolean;
  readonly logger: Logger;
  /** Added to the database's clock; tests move it. */
  readonly shiftMs: () => number;
}

interface SendOptions {
  /** It is sent again, once, when the connection broke off. */
  readonly bearsTwice?: boolean;
}

const firstRetryMs = 100;
const longestRetryMs = 5_000;

/**
 * The way to the database. It opens by itself and keeps trying while the database is down; calls wait for it a while, and reject with `STORAGE_UNAVAILABLE` then.
 */
export class Database {
  readonly schema: string;
  readonly #options: DatabaseOptions;
  readonly #closing = new AbortController();
  readonly #opening: Promise<void>;
  #opened: OpenedPool | undefined;
  #stopListening: (() => void) | undefined;
  #kysely: Kysely<Tables> | undefined;
  #failure: unknown;

  constructor(options: DatabaseOptions) {
    this.#options = options;
    this.schema = quotedSchema(options.schema);
    this.#opening = this.#openInTime();
  }

  get shiftMs(): number {
    return this.#options.shiftMs();
  }

  /** The same database for the tables of another package. It opens after this one, which stays open when it is closed. */
  beside(
    migrations: MigrationSet,
    changed: Partial<Pick<DatabaseOptions, 'autoMigrate' | 'logger' | 'schema'>>,
  ): Database {
    const open = async (signal: AbortSignal): Promise<OpenedPool> => {
      const opened = await Promise.race([this.opened(), aborted(signal)]);
      if (opened === undefined) throw storageUnavailable(this.#failure);
      return { ...opened, onError: () => () => {}, close: async () => {} };
    };
    return new Database({ ...this.#options, ...changed, migrations, open });
  }

  /** Queries that are built. Rejects like {@link query}. */
  async run<Result>(
    work: (db: Kysely<Tables>) => Promise<Result>,
    { bearsTwice = false }: SendOptions = {},
  ): Promise<Result> {
    const db = (await this.#ready()).withSchema(this.#options.schema);
    return send(() => work(db), bearsTwice);
  }

  /** Queries that only read. */
  async read<Result>(work: (db: Kysely<Tables>) => Promise<Result>): Promise<Result> {
    return this.run(work, { bearsTwice: true });
  }

  /**
   * One statement, sent as it is.
   *
   * @throws UnavailableError (`STORAGE_UNAVAILABLE`)
   */
  async query<Row>(
    text: string,
    values: readonly unknown[],
    { bearsTwice = false }: SendOptions = {},
  ): Promise<readonly Row[]> {
    await this.#ready();
    return send(() => this.#query<Row>(text, values), bearsTwice);
  }

  /** The pool, once the database is open and has its tables. Undefined when it is closed before that. */
  async opened(): Promise<OpenedPool | undefined> {
    await this.#opening;
    return this.#kysely === undefined ? undefined : this.#opened;
  }

  /** @throws UnavailableError, or the ConfigurationError that keeps it from being opened. */
  async check(): Promise<void> {
    if (this.#kysely === undefined)
      throw isHalyardError(this.#failure) ? this.#failure : storageUnavailable(this.#failure);
    await this.query('select 1', []);
  }

  /** Tries no more to open it. */
  stopOpening(): void {
    this.#closing.abort();
  }

  async close(): Promise<void> {
    this.stopOpening();
    await this.#opening;
    this.#stopListening?.();
    const opened = this.#opened;
    [this.#kysely, this.#opened] = [undefined, undefined];
    await opened?.close();
  }

  async #query<Row>(text: string, values: readonly unknown[]): Promise<readonly Row[]> {
    const client = await this.#pool().connect();
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

  #pool(): PostgresPool {
    if (this.#opened === undefined) throw storageUnavailable(this.#failure);
    return this.#opened.pool;
  }

  #ready(): Kysely<Tables> | Promise<Kysely<Tables>> {
    return this.#kysely ?? this.#waitUntilReady();
  }

  async #waitUntilReady(): Promise<Kysely<Tables>> {
    const { patienceMs } = this.#options;
    const patience = new AbortController();
    await Promise.race([this.#opening, delay(patienceMs, undefined, { signal: patience.signal }).catch(() => {})]);
    patience.abort();
    if (this.#kysely !== undefined) return this.#kysely;
    throw storageUnavailable(this.#failure);
  }

  /** Resolves when it is open, was closed, or will never open. Does not reject. */
  async #openInTime(): Promise<void> {
    const { logger, schema } = this.#options;
    const { signal } = this.#closing;
    for (let waitMs = firstRetryMs; !signal.aborted; waitMs = Math.min(waitMs * 2, longestRetryMs)) {
      try {
        await this.#open();
        if (this.#failure !== undefined) logger.info({ schema }, 'the database is there now');
        this.#failure = undefined;
        return;
      } catch (error) {
        this.#failure = error;
        // Closed while it was opening: that is no failure.
        if (signal.aborted) return;
        if (this.#opened === undefined && isHalyardError(error)) {
          logger.error({ err: error }, error.message);
          return;
        }
        logger.warn({ err: error, retryInMs: waitMs }, 'the database cannot be opened; it is tried again');
        await delay(waitMs, undefined, { signal }).catch(() => {});
      }
    }
  }

  async #open(): Promise<void> {
    const { autoMigrate, logger, migrations, open, schema } = this.#options;
    if (this.#opened === undefined) {
      this.#opened = await open(this.#closing.signal);
      this.#stopListening = this.#opened.onError((error) => {
        logger.warn({ err: error }, 'an idle connection to the database broke off');
      });
    }
    const { pool } = this.#opened;
    await migrate(pool, migrations, { schema, autoMigrate });
    this.#kysely = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  }
}

async function send<Result>(work: () => Promise<Result>, bearsTwice: boolean): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!bearsTwice || !isLostConnection(error)) throw asStorageError(error);
  }
  try {
    return await work();
  } catch (error) {
    throw asStorageError(error);
  }
}

function aborted(signal: AbortSignal): Promise<undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  signal.addEventListener('abort', () => resolve(undefined), { once: true });
  return promise;
}
