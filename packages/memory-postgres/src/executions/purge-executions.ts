import { sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { databaseTime } from '../connection/sql-fragments.ts';

/** How many executions of a day, such as those that wait for months, do not keep the tables of the day. */
const survivors = 1_000;
/** How many rows of days that are kept one statement deletes, and how many such statements follow each other. */
const rowsPerBatch = 5_000;
const batchesOfRows = 100;

/**
 * Deletes root executions that ended `olderThanMs` ago or before. Skips those that another transaction has locked. Their events and their journals can no longer be read, and are dropped with
 * those of the whole day; or deleted row by row, if many executions of the day are left.
 *
 * @returns how many.
 */
export async function purgeExecutions(database: Database, olderThanMs: number, limit: number): Promise<number> {
  const deleted = await deleteExecutions(database, olderThanMs, limit);
  if (deleted < limit) {
    await dropDays(database, olderThanMs);
    await purgeRows(database, olderThanMs);
  }
  return deleted;
}

async function purgeRows(database: Database, olderThanMs: number): Promise<void> {
  const parameters = [Math.floor(olderThanMs), survivors, database.shiftMs, rowsPerBatch];
  for (let batch = 0; batch < batchesOfRows; batch += 1) {
    const [deleted = 0] = await database.callScalar<number>('purge_day_rows', parameters);
    if (deleted < rowsPerBatch) return;
  }
}

async function dropDays(database: Database, olderThanMs: number): Promise<void> {
  await database.call('open_execution_days', []);
  const parameters = [Math.floor(olderThanMs), survivors, database.shiftMs];
  for (let wasDropped: boolean | undefined = true; wasDropped === true;)
    [wasDropped] = await database.callScalar<boolean>('drop_execution_day', parameters);
}

async function deleteExecutions(database: Database, olderThanMs: number, limit: number): Promise<number> {
  const now = databaseTime(database);
  const rows = await database.run((db) =>
    db
      .with(
        (cte) => cte('roots').materialized(),
        (cte) =>
          cte
            .selectFrom('executions')
            .select('key')
            .where('parent_id', 'is', null)
            .where('ended_at', '<=', sql<number>`${now} - ${Math.floor(olderThanMs)}::bigint`)
            .orderBy('ended_at')
            .orderBy('key')
            .limit(limit)
            .forUpdate()
            .skipLocked(),
      )
      .with(
        (cte) => cte('tree').materialized(),
        (cte) =>
          cte
            .selectFrom('roots')
            .select('roots.key')
            .unionAll((eb) =>
              eb
                .selectFrom('executions as c')
                .select('c.key')
                .where('c.root_key', 'in', (roots) => roots.selectFrom('roots').select('roots.key')),
            ),
      )
      .with('events', (cte) =>
        cte
          .deleteFrom('execution_events_other')
          .where('execution_key', 'in', (eb) => eb.selectFrom('tree').select('key')),
      )
      .with('journal', (cte) =>
        cte.deleteFrom('execution_journal_other').where('root_key', 'in', (eb) => eb.selectFrom('roots').select('key')),
      )
      .with('deleted', (cte) =>
        cte.deleteFrom('executions').where('key', 'in', (eb) => eb.selectFrom('tree').select('key')),
      )
      .selectFrom('roots')
      .select('key')
      .execute(),
  );
  return rows.length;
}
