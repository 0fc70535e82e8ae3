import {
  checkOptionNames,
  ConfigurationError,
  ForwardedLogger,
  type Logger,
  type OptionNames,
  type Storage,
} from '@halyard/contracts';
import { PostgresApprovalStore } from './approvals/postgres-approval-store.ts';
import { PostgresAuditLog } from './audit/postgres-audit-log.ts';
import { checkWrites } from './connection/check-writes.ts';
import { checkConnectionString } from './connection/connection-string.ts';
import { Database, type DatabaseOpener } from './connection/database.ts';
import { embeddedOpener } from './connection/embedded/open-embedded.ts';
import { Notifications } from './connection/notifications.ts';
import { type AppPool, appPoolOpener, serverOpener } from './connection/open-pool.ts';
import { storageSize } from './connection/storage-size.ts';
import { PostgresConversationStore } from './conversations/postgres-conversation-store.ts';
import { PostgresWorkingMemoryStore } from './conversations/postgres-working-memory-store.ts';
import { RunnerSessions } from './executions/claims/runner-sessions.ts';
import { completeDeletions } from './executions/deletions/purge-executions.ts';
import { PostgresExecutionMirror } from './executions/postgres-execution-mirror.ts';
import { PostgresExecutionStore } from './executions/postgres-execution-store.ts';
import { quotedSchema, storageMigrations } from './migrations/migrations.ts';
import { PostgresStreamStore } from './streams/postgres-stream-store.ts';
import { PostgresTelemetryStore } from './telemetry/postgres-telemetry-store.ts';
import { PostgresUserDataStore } from './users/postgres-user-data-store.ts';
import { PostgresWebhookStore } from './webhooks/postgres-webhook-store.ts';

export interface PostgresSettings {
  /** The schema that contains the tables. Default: `halyard`. */
  readonly schema?: string | undefined;
  /**
   * Whether to create and migrate the tables when the database opens. Default: true. If false, run
   * the output of `migrations.sql()` first.
   */
  readonly autoMigrate?: boolean | undefined;
  /**
   * Receives a warning when the database cannot be reached, and a message when it is available
   * again. Default: the log of the server, and `process.emitWarning` before there is one.
   */
  readonly logger?: Logger | undefined;
}

/** Where the database is: on a server, behind the app's own pool, or in a directory. */
export type DatabasePlace =
  | {
      /** The URL of a server: `postgres://user:password@host:5432/database`. */
      readonly connectionString: string;
      /**
       * Greatest number of connections. One of them listens for changes by other processes.
       * Default: 10.
       */
      readonly maxConnections?: number | undefined;
    }
  | {
      /**
       * The app's own `Pool` of `pg`. It keeps its own timeouts and stays open when the storage is
       * closed.
       */
      readonly pool: AppPool;
    }
  | {
      /**
       * The directory of a database embedded in this process (needs the package
       * `@electric-sql/pglite`). One process at a time can use it.
       */
      readonly dataDir: string;
      /**
       * Whether a write is on the disk before it is acknowledged, so that it survives a power
       * failure and a crash of the operating system. Costs one fsync per commit. Default: false,
       * which survives a killed process only.
       */
      readonly fsync?: boolean | undefined;
    };

/** The location of the database, and the treatment of its tables. */
export type DatabaseOptions = PostgresSettings & DatabasePlace;

interface ClockShift {
  /**
   * Milliseconds that are added to the database's clock, asked for with each call: to write a
   * history with times of the past, or to test later behaviour. All processes that use the database
   * at the same time must return the same. Default: 0.
   */
  readonly clockShiftMs?: (() => number) | undefined;
}

/** {@link DatabaseOptions}, and the clock. */
export type PostgresStorageOptions = DatabaseOptions & ClockShift;

/**
 * Creates a storage in PostgreSQL 15 or later for everything a server stores, except vectors.
 *
 * The storage connects in the background and keeps trying while the database is down. Until it is
 * connected, `check()` rejects, and other calls wait up to 5 seconds (60 for an embedded database,
 * which takes longer to create) before they reject with an UnavailableError
 * (`STORAGE_UNAVAILABLE`).
 *
 * A failure that no retry solves, such as a wrong password, rejects `opened()`, which a server
 * calls before it listens; other calls reject at once.
 *
 * @throws ConfigurationError when the options are invalid, a package is missing, or `dataDir` is in
 * use or cannot be written.
 */
export function createPostgresStorage(options: PostgresStorageOptions): Storage {
  checkOptionNames('createPostgresStorage', options, optionNames);
  const settings = { ...options, logger: options.logger ?? new ForwardedLogger(consoleLogger) };
  return assembleStorage(createOpener(settings), settings);
}

const optionNames: OptionNames<PostgresStorageOptions> = {
  autoMigrate: true,
  clockShiftMs: true,
  connectionString: true,
  dataDir: true,
  fsync: true,
  logger: true,
  maxConnections: true,
  pool: true,
  schema: true,
};

export function assembleStorage(
  opener: DatabaseOpener,
  {
    autoMigrate = true,
    clockShiftMs: shiftMs = () => 0,
    logger = new ForwardedLogger(consoleLogger),
    schema = 'halyard',
  }: PostgresSettings & ClockShift,
): Storage {
  const migrations = storageMigrations;
  const database = new Database({ ...opener, migrations, schema, autoMigrate, logger, shiftMs });
  const notifications = new Notifications(database, { logger, schema });
  const sessions = new RunnerSessions(database, notifications, logger);
  const streams = new PostgresStreamStore(database, notifications);
  const storage: Storage = {
    approvals: new PostgresApprovalStore(database),
    audit: new PostgresAuditLog(database),
    conversations: new PostgresConversationStore(database),
    executions: new PostgresExecutionStore(database, notifications, sessions),
    executionMirror: new PostgresExecutionMirror(database),
    streams,
    telemetry: new PostgresTelemetryStore(database),
    users: new PostgresUserDataStore(database, notifications, streams),
    webhooks: new PostgresWebhookStore(database),
    workingMemory: new PostgresWorkingMemoryStore(database),
    check: async () => {
      await database.check();
      await checkWrites(database);
    },
    ...(logger instanceof ForwardedLogger && { useLogger: (ofServer) => logger.forwardTo(ofServer) }),
    opened: () => database.firstAttempt(),
    connections: () => database.connections(),
    size: () => storageSize(database),
    close: async () => {
      database.stopOpening();
      sessions.close();
      await notifications.close();
      await database.close();
    },
  };
  databases.set(storage, database);
  void completeDeletions(database, logger);
  return storage;
}

/**
 * The databases of storages, for adapters that share them. The `Storage` port itself does not
 * mention databases.
 */
const databases = new WeakMap<Storage, Database>();

/**
 * The database of a storage. Undefined when `createPostgresStorage` did not return this storage.
 */
export function findDatabase(storage: Storage): Database | undefined {
  return databases.get(storage);
}

/**
 * @throws ConfigurationError when the options are invalid, or another process uses the directory.
 */
export function createOpener(options: DatabaseOptions): DatabaseOpener {
  quotedSchema(options.schema ?? 'halyard');
  checkPlace(options);
  if ('pool' in options) return appPoolOpener(options.pool);
  if ('dataDir' in options) return embeddedOpener(options.dataDir, options);
  const { connectionString, logger = consoleLogger, maxConnections = 10 } = options;
  checkConnectionString(connectionString);
  return serverOpener({ connectionString, maxConnections, logger });
}

/** Checks what callers without TypeScript pass. */
function checkPlace(options: object): void {
  const places = ['connectionString', 'pool', 'dataDir'];
  const given = places.filter((name) => Reflect.get(options, name) !== undefined);
  if (given.length === 1) return;
  const both = given.length === 0 ? '' : `, not both \`${given.slice(0, 2).join('` and `')}\``;
  throw new ConfigurationError(
    `createPostgresStorage needs one of the options \`connectionString\`, \`pool\` and \`dataDir\`${both}`,
  );
}

/** Emits warnings and errors as warnings of the process. */
export const consoleLogger: Logger = {
  debug: () => {},
  info: () => {},
  warn: emitStorageWarning,
  error: emitStorageWarning,
};

function emitStorageWarning(fields: object, message: string): void {
  const reason = readReason(fields);
  process.emitWarning(['', message].includes(reason) ? message : `${message}: ${reason}`, 'HalyardStorageWarning');
}

function readReason(fields: object): string {
  const error = 'err' in fields ? fields.err : undefined;
  if (error instanceof AggregateError) return error.errors.map(String).join('; ');
  return error instanceof Error ? error.message : '';
}
