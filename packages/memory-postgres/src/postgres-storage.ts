import { ConfigurationError, type Logger, type Storage } from '@halyard/contracts';
import { PostgresApprovalStore } from './approvals/postgres-approval-store.ts';
import { noteDatabase } from './connection/database-of-storage.ts';
import { Database, type DatabaseOpener } from './connection/database.ts';
import { embeddedOpener } from './connection/embedded/open-embedded.ts';
import { Notifications } from './connection/notifications.ts';
import { type AppPool, appPoolOpener, serverOpener } from './connection/open-pool.ts';
import { quotedSchema } from './connection/schema-name.ts';
import { PostgresConversationStore } from './conversations/postgres-conversation-store.ts';
import { PostgresWorkingMemoryStore } from './conversations/postgres-working-memory-store.ts';
import { PostgresExecutionStore } from './executions/postgres-execution-store.ts';
import { storageMigrations } from './migrations/migrations.ts';
import { PostgresStreamStore } from './streams/postgres-stream-store.ts';
import { PostgresTelemetryStore } from './telemetry/postgres-telemetry-store.ts';
import { PostgresUserDataStore } from './users/postgres-user-data-store.ts';

export interface PostgresSettings {
  /** Where the tables are. Default: `halyard`. */
  readonly schema?: string;
  /** Whether it creates and changes the tables itself. Default: true. Without, run what `migrations.sql()` prints before. */
  readonly autoMigrate?: boolean;
  /** Told when the database cannot be reached, and when it is there again. Default: warnings and errors go to the console. */
  readonly logger?: Logger;
}

/** Where the database is. */
export type PostgresStorageOptions = PostgresSettings &
  (
    | {
        /** A server, as a URL: `postgres://user:password@host:5432/database`. */
        readonly connectionString: string;
        /** Default: 10. One of them listens to what other processes do. */
        readonly maxConnections?: number;
      }
    | {
        /** The app's own `Pool` of `pg`. It is not closed with the storage, and keeps its own timeouts. */
        readonly pool: AppPool;
      }
    | {
        /** A directory, for a database embedded in this process (it needs `@electric-sql/pglite`). One process at a time. */
        readonly dataDir: string;
      }
  );

/**
 * Everything a server stores, in PostgreSQL 15 or later.
 *
 * It opens by itself, and keeps trying while the database is down: meanwhile `check()` rejects, and calls wait a few seconds before they reject with
 * `STORAGE_UNAVAILABLE`.
 *
 * @throws ConfigurationError when the options cannot be right, or another process has the directory.
 */
export function createPostgresStorage(options: PostgresStorageOptions): Storage {
  return assembleStorage(openerOf(options), options);
}

/** @param shiftMs added to the database's clock: tests move it. */
export function assembleStorage(
  opener: DatabaseOpener,
  { autoMigrate = true, logger = consoleLogger, schema = 'halyard' }: PostgresSettings,
  shiftMs: () => number = () => 0,
): Storage {
  const migrations = storageMigrations;
  const database = new Database({ ...opener, migrations, schema, autoMigrate, logger, shiftMs });
  const notifications = new Notifications(database, { logger, schema });
  const streams = new PostgresStreamStore(database, notifications);
  const storage: Storage = {
    approvals: new PostgresApprovalStore(database),
    conversations: new PostgresConversationStore(database),
    executions: new PostgresExecutionStore(database, notifications),
    streams,
    telemetry: new PostgresTelemetryStore(database),
    users: new PostgresUserDataStore(database, notifications, streams),
    workingMemory: new PostgresWorkingMemoryStore(database),
    check: () => database.check(),
    close: async () => {
      database.stopOpening();
      await notifications.close();
      await database.close();
    },
  };
  noteDatabase(storage, database);
  return storage;
}

/** @throws ConfigurationError when the options cannot be right, or another process has the directory. */
export function openerOf(options: PostgresStorageOptions): DatabaseOpener {
  quotedSchema(options.schema ?? 'halyard');
  if ('pool' in options) return appPoolOpener(options.pool);
  if ('dataDir' in options) return embeddedOpener(options.dataDir);
  const { connectionString, maxConnections = 10 } = options;
  if (!URL.canParse(connectionString))
    throw new ConfigurationError('connectionString must be a URL: postgres://user:password@host:5432/database');
  return serverOpener(connectionString, maxConnections);
}

export const consoleLogger: Logger = {
  debug: () => {},
  info: () => {},
  warn: (fields, message) => process.emitWarning(`${message}: ${reasonOf(fields)}`, 'HalyardStorageWarning'),
  error: (fields, message) => process.emitWarning(`${message}: ${reasonOf(fields)}`, 'HalyardStorageWarning'),
};

function reasonOf(fields: object): string {
  const error = 'err' in fields ? fields.err : undefined;
  if (error instanceof AggregateError) return error.errors.map(String).join('; ');
  return error instanceof Error ? error.message : '';
}
