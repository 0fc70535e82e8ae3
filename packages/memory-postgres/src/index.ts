export type { AppPool } from './open-pool.ts';
export { migrations } from './migrations/migrations.ts';
export { createPostgresStorage, type PostgresSettings, type PostgresStorageOptions } from './postgres-storage.ts';
