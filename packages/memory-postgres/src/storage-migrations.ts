import { type MigrationDatabase, type MigrationStatus, migrationStatus, runMigrations } from './migrate-database.ts';
import type { PendingMigration } from './migrations/migration.ts';
import { migrationScript, storageMigrations } from './migrations/migrations.ts';

/**
 * Reads, prints and runs the migrations of the storage, for servers that may not change the schema
 * (`autoMigrate: false`).
 */
export const migrations: {
  /**
   * All migrations as one script, for `psql --single-transaction` or the app's own migration tool.
   *
   * @param options `after`: the number of the last migration that was run;
   * `select max(number) from halyard.migrations` returns it.
   */
  readonly sql: (options?: { readonly schema?: string; readonly after?: number }) => string;
  /**
   * Which migrations the schema has and lacks. Changes nothing.
   *
   * @throws ConfigurationError when the database cannot be opened until somebody acts; another
   * error when it cannot be reached.
   */
  readonly status: (database: MigrationDatabase) => Promise<MigrationStatus>;
  /**
   * Runs the migrations that the schema lacks, in one transaction: all of them or, if the process
   * or the database dies, none. Any number of processes may do so at the same time. Waits about 45
   * seconds for tables that another transaction has locked.
   *
   * @returns the migrations that were run.
   * @throws ConfigurationError when the database cannot be opened until somebody acts; another
   * error when it cannot be reached or a statement fails.
   */
  readonly run: (database: MigrationDatabase) => Promise<readonly PendingMigration[]>;
} = {
  sql: ({ after = 0, schema = 'halyard' } = {}) => migrationScript(storageMigrations, { after, schema }),
  status: (database) => migrationStatus(database, storageMigrations),
  run: (database) => runMigrations(database, storageMigrations),
};
