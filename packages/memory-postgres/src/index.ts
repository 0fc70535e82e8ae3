export type { AppPool } from './connection/open-pool.ts';
export type { AppliedMigration, MigrationDatabase, MigrationStatus, PendingMigration } from './migrate-database.ts';
export { createPostgresStorage, type PostgresSettings, type PostgresStorageOptions } from './postgres-storage.ts';
export { migrations } from './storage-migrations.ts';
