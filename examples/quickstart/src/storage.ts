import { fileURLToPath } from 'node:url';
import type { Storage } from '@halyard/contracts';
import { createPostgresStorage } from '@halyard/memory-postgres';

export interface OpenedStorage {
  readonly storage: Storage;
  /** Where it is, for people to read: without user or password. */
  readonly label: string;
}

/**
 * Keeps everything on the server that `DATABASE_URL` names, else in a database embedded in this process, in a directory of its own.
 *
 * @throws ConfigurationError while another process has the directory.
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
