import type { Storage } from '@halyard/contracts';
import type { Database } from './database.ts';

const databases = new WeakMap<Storage, Database>();

export function noteDatabase(storage: Storage, database: Database): void {
  databases.set(storage, database);
}

/** The database that a storage is in. Undefined when it was not made by `createPostgresStorage`. */
export function databaseOf(storage: Storage): Database | undefined {
  return databases.get(storage);
}
