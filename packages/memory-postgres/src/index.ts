export type { AppPool } from './connection/open-pool.ts';
export type { MigrationDatabase, MigrationStatus } from './migrate-database.ts';
export type { AppliedMigration, PendingMigration } from './migrations/migration.ts';
export { createPostgresStorage, type PostgresSettings, type PostgresStorageOptions } from './postgres-storage.ts';
export { migrations } from './storage-migrations.ts';
