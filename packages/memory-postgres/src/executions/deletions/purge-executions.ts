import type { Logger } from '@halyard/contracts';
import type { Database } from '../../connection/database.ts';

/**
 * How many events and journal entries one statement deletes: those of a thousand short executions.
 */
const rowsPerStatement = 10_000;

/**
 * Deletes root executions that ended `olderThanMs` ago or before, the oldest first, with all that
 * belongs to them. Skips those that another transaction has locked.
 *
 * @returns how many.
 */
export async function purgeExecutions(database: Database, olderThanMs: number, limit: number): Promise<number> {
  const parameters = [wholeMs(olderThanMs), limit, database.shiftMs];
  const [deleted = 0] = await database.callScalar<number>('purge_executions', parameters);
  await deleteHistories(database);
  return deleted;
}

/** A time as PostgreSQL can subtract it from the present. */
export function wholeMs(ms: number): number {
  return Math.floor(Math.min(ms, Number.MAX_SAFE_INTEGER));
}

/**
 * Deletes the events and journals of all executions that were deleted, also by others whose
 * deletion was cut off.
 */
export async function deleteHistories(database: Database): Promise<void> {
  for (let isMoreLeft = true; isMoreLeft;)
    [isMoreLeft = false] = await database.callScalar<boolean>('delete_histories', [rowsPerStatement]);
}

/**
 * Completes deletions that were cut off by the end of their process, once the database is open.
 * Does not reject.
 */
export async function completeDeletions(database: Database, logger: Logger): Promise<void> {
  try {
    if ((await database.whenOpened()) !== undefined) await deleteHistories(database);
  } catch (error) {
    logger.debug({ err: error }, 'Deletions that were cut off could not be completed: the next deletion does it');
  }
}
