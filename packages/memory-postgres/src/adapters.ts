/**
 * The entry point `@halyard/memory-postgres/database`, for Halyard's own packages that store their
 * tables in the database of a storage. Apps should not use it: it changes with the needs of these
 * packages.
 */
import { ConfigurationError, type Storage } from '@halyard/contracts';
import { Database, type DatabaseOpener } from './connection/database.ts';
import type { MigrationSet } from './migrations/migration.ts';
import {
  consoleLogger,
  findDatabase,
  createOpener,
  type PostgresSettings,
  type DatabaseOptions,
} from './postgres-storage.ts';

export { sql } from 'kysely';
export type { Database } from './connection/database.ts';
export { fromText, toText } from './connection/text-codec.ts';
export { type MigrationDatabase, type MigrationStatus, migrationStatus, runMigrations } from './migrate-database.ts';
export type { Migration, MigrationSet, PendingMigration } from './migrations/migration.ts';
export { migrationScript } from './migrations/migrations.ts';
export { consoleLogger } from './postgres-storage.ts';
export { storedByAge, type StoredByAge } from './stored-by-age.ts';

/**
 * Where an adapter stores its tables: in the database of a storage, or in a database of its own.
 */
export type AdapterDatabaseOptions =
  | (PostgresSettings & {
      /**
       * The storage that `createPostgresStorage` returned. The adapter uses its database and its
       * connections, and its schema unless `schema` is set.
       */
      readonly storage: Storage;
    })
  | DatabaseOptions;

/**
 * Opens the database of an adapter and runs the adapter's migrations. Like a storage, it connects
 * in the background.
 *
 * @param explain explains failures of the adapter's migrations that no retry solves until somebody
 * acts. Others are explained as those of a storage.
 * @throws ConfigurationError when the options are invalid, or another process uses the directory.
 */
export function openAdapterDatabase<Schema>(
  options: AdapterDatabaseOptions,
  migrations: MigrationSet,
  explain: DatabaseOpener['explain'] = () => undefined,
): Database<Schema> {
  if (!('storage' in options)) {
    const { autoMigrate = true, logger = consoleLogger, schema = 'halyard' } = options;
    const opener = createOpener(options);
    return new Database<Schema>({
      ...opener,
      explain: (error) => explain(error) ?? opener.explain?.(error),
      migrations,
      schema,
      autoMigrate,
      logger,
      shiftMs: () => 0,
    });
  }
  const { autoMigrate, logger, schema, storage } = options;
  const database = findDatabase(storage);
  if (database === undefined)
    throw new ConfigurationError(
      '"storage" must be the object that createPostgresStorage returned, not a copy or another storage',
    );
  return database.share<Schema>(migrations, {
    explain: (error) => explain(error) ?? database.explain(error),
    ...(autoMigrate !== undefined && { autoMigrate }),
    ...(logger !== undefined && { logger }),
    ...(schema !== undefined && { schema }),
  });
}
