import type { DatabaseSync } from 'node:sqlite';

/**
 * Does `work` whole or not at all, and nothing of others between its reads and its writes. `IMMEDIATE` holds off other processes from the first read on;
 * in this process nothing comes between, as long as `work` waits for nothing.
 */
export function inTransaction<Result>(database: DatabaseSync, work: () => Result): Result {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
}
