import { randomUUID } from 'node:crypto';
import type { Storage } from '@halyard/contracts';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { createPostgresStorage } from '@halyard/memory-postgres';
import { inject, onTestFinished } from 'vitest';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The database of the tests that run with PostgreSQL. */
    connectionString?: string;
  }
}

/**
 * An empty storage for a test: in memory, or in a schema of its own where the tests run with
 * PostgreSQL. Servers that use it are closed before it.
 */
export function openStorage(): Storage {
  const connectionString = inject('connectionString');
  if (connectionString === undefined) return createInMemoryStorage();
  const schema = `test_${randomUUID().replaceAll('-', '')}`;
  const storage = createPostgresStorage({ connectionString, schema });
  onTestFinished(() => storage.close());
  return storage;
}
