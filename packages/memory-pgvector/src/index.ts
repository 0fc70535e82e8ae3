export { createPgVectorStore, type PgVectorStoreOptions } from './pgvector-store.ts';
export { type VectorIndexOptions, vectorMigrations } from './vector-migrations.ts';
