import { ConfigurationError, type Storage } from '@halyard/contracts';
import { databaseOf } from './connection/database-of-storage.ts';
import { Database } from './connection/database.ts';
import type { MigrationSet } from './migrations/migration.ts';
import { consoleLogger, openerOf, type PostgresSettings, type PostgresStorageOptions } from './postgres-storage.ts';

/*
 * For packages of the family that keep tables of their own beside those of the storage. Not for apps: it changes with what these packages need.
 */
export type { Database } from './connection/database.ts';
export type { Migration, MigrationSet } from './migrations/migration.ts';
export { migrationScript } from './migrations/migrations.ts';
export { consoleLogger } from './postgres-storage.ts';
export { quotedSchema } from './connection/schema-name.ts';
export { fromText, toText } from './connection/text-codec.ts';

/** Where an adapter keeps its tables: in the database of a storage, and in its schema unless another is named, or in a database of its own. */
export type AdapterDatabaseOptions =
  | (PostgresSettings & {
      /** What `createPostgresStorage` returned: the adapter shares its database, be it embedded or a server, and its connections. */
      readonly storage: Storage;
    })
  | PostgresStorageOptions;

/**
 * The database of an adapter, with its tables. It opens by itself, like that of a storage.
 *
 * @throws ConfigurationError when the options cannot be right, or another process has the directory.
 */
export function openAdapterDatabase(options: AdapterDatabaseOptions, migrations: MigrationSet): Database {
  if (!('storage' in options)) {
    const { autoMigrate = true, logger = consoleLogger, schema = 'halyard' } = options;
    return new Database({ ...openerOf(options), migrations, schema, autoMigrate, logger, shiftMs: () => 0 });
  }
  const { autoMigrate, logger, schema, storage } = options;
  const database = databaseOf(storage);
  if (database === undefined)
    throw new ConfigurationError(
      '"storage" must be what createPostgresStorage returned, not a copy or another storage',
    );
  return database.beside(migrations, {
    ...(autoMigrate !== undefined && { autoMigrate }),
    ...(logger !== undefined && { logger }),
    ...(schema !== undefined && { schema }),
  });
}
