import type { Database } from '../connection/database.ts';

/** Deletes roots that ended long ago with all that belongs to them, the first to end first. What somebody else holds is left for another time. */
export async function purgeExecutions(database: Database, olderThanMs: number, limit: number): Promise<number> {
  const { schema, shiftMs } = database;
  const rows = await database.query<{ purged: number }>(
    `with roots as materialized (
      select key from ${schema}.executions
      where parent_id is null and ended_at <= (select floor(extract(epoch from clock_timestamp()) * 1000)::bigint + $1::bigint)
      order by ended_at, key limit $2 for update skip locked
    ), tree as materialized (
      select key from roots union all select c.key from ${schema}.executions c where c.root_key in (select key from roots)
    ), events as (
      delete from ${schema}.execution_events where execution_key in (select key from tree)
    ), journal as (
      delete from ${schema}.execution_journal where root_key in (select key from roots)
    ), rows as (
      delete from ${schema}.executions where key in (select key from tree)
    )
    select count(*)::integer as purged from roots`,
    [shiftMs - Math.floor(olderThanMs), limit],
  );
  return rows[0]?.purged ?? 0;
}
