import { type MigrationSet, migrationScript } from '@halyard/memory-postgres/database';
import { messageVectors } from './message-vectors.ts';
import { type VectorIndex, vectorIndex, type VectorIndexOptions } from './vector-index.ts';

/** The tables of vectors have migrations of their own: they may come before those of the storage, after them, or without them. */
export function migrationsFor(index: VectorIndex): MigrationSet {
  return { table: 'vector_migrations', migrations: [messageVectors(index)], printedBy: 'vectorMigrations.sql()' };
}

/** For those whose server may not change the schema: what `autoMigrate` would run. */
export const vectorMigrations: {
  /**
   * All migrations as one script: for `psql --single-transaction`, or a migration of the app's own. Whoever runs it may create extensions, or finds that of
   * pgvector there.
   *
   * @param options `after`: the number of the last one that was run; `select max(number) from halyard.vector_migrations` tells.
   * @throws ConfigurationError when pgvector can have no such index.
   */
  readonly sql: (options: VectorIndexOptions & { readonly schema?: string; readonly after?: number }) => string;
} = {
  sql: ({ after = 0, schema = 'halyard', ...options }) =>
    migrationScript(migrationsFor(vectorIndex(options)), { after, schema }),
};
