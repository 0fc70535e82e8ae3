export { createPgVectorStore, type PgVectorStoreOptions } from './pgvector-store.ts';
export type { VectorIndexOptions } from './vector-index.ts';
export { vectorMigrations } from './vector-migrations.ts';
