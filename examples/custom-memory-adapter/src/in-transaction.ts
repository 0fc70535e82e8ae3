import type { DatabaseSync } from 'node:sqlite';

/**
 * Runs `work` in a transaction that is isolated from other writers. `IMMEDIATE` locks out other
 * processes from the first read on. In this process no other code runs in between, because `work`
 * is synchronous.
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
