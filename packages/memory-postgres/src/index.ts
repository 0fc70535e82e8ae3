export type { AppPool } from './connection/open-pool.ts';
export { migrations } from './migrations/migrations.ts';
export { createPostgresStorage, type PostgresSettings, type PostgresStorageOptions } from './postgres-storage.ts';
