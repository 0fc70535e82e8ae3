import { fileURLToPath } from 'node:url';
import type { Storage } from '@halyard/contracts';
import { createPostgresStorage } from '@halyard/memory-postgres';

export interface OpenedStorage {
  readonly storage: Storage;
  /** A readable location without user and password. */
  readonly label: string;
}

/**
 * Opens the database server in `DATABASE_URL`, or else a database embedded in this process, in its
 * own directory.
 *
 * @throws ConfigurationError if another process uses the directory.
 */
export function openStorage(
  databaseUrl = process.env['DATABASE_URL']?.trim() || undefined,
  dataDir: string = fileURLToPath(new URL('../.halyard/', import.meta.url)),
): OpenedStorage {
  if (databaseUrl === undefined) {
    return { storage: createPostgresStorage({ dataDir }), label: `embedded PostgreSQL in ${dataDir}` };
  }
  return { storage: createPostgresStorage({ connectionString: databaseUrl }), label: labelOf(databaseUrl) };
}

function labelOf(databaseUrl: string): string {
  const { host, pathname } = new URL(databaseUrl);
  return `PostgreSQL at ${host}${pathname}`;
}
