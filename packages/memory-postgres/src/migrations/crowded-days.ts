import { tablesOfDays } from './execution-days.ts';
import type { Migration } from './migration.ts';

/** Rows of executions that were deleted, in the tables of days that cannot be dropped because too many executions of the day are left. */
export const crowdedDays: Migration = {
  number: 28,
  name: 'crowded-days',
  sql: (schema) => purgeDayRows(schema),
};

/**
 * Deletes, with the rights of the owner of the schema, up to `at_most` events and journal entries whose execution was deleted, of days that ended `older_than_ms` ago and of whose executions more than `survivors` are left. Returns how many.
 *
 * The rows of deleted executions are those between the keys of the executions that are left: the index is searched once for each of these.
 */
function purgeDayRows(schema: string): string {
  return `
create function ${schema}.purge_day_rows(older_than_ms bigint, survivors integer, shift_ms bigint, at_most integer) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $function$
declare
  today constant bigint := floor(extract(epoch from clock_timestamp()) / 86400);
  before constant bigint := least(today, today + (shift_ms - older_than_ms) / 86400000) << 36;
  old record;
  kept integer;
  deleted integer := 0;
  deleted_now integer;
begin
  for old in
    select t.parent, t.key_column, c.relname as part, days.low, days.high
    from (values ${tablesOfDays}) as t (parent, key_column)
      join pg_inherits i on i.inhparent = format('${schema}.%I', t.parent)::regclass
      join pg_class c on c.oid = i.inhrelid and c.relname ~ '_[0-9]{8}$',
      lateral (select (to_date(right(c.relname, 8), 'YYYYMMDD') - date '1970-01-01')::bigint as day) named,
      lateral (select case when c.relname ~ '_until_' then 0 else named.day << 36 end as low,
        (named.day + case when c.relname ~ '_until_' then 0 else 1 end) << 36 as high) days
    where days.high <= before order by days.low, t.parent
  loop
    select count(*) into kept from (
      select from ${schema}.executions e where e.key >= old.low and e.key < old.high limit survivors + 1) few;
    continue when kept <= survivors;
    execute format('
      delete from ${schema}.%1$I p where p.ctid = any(array(
        select r.ctid from (
          select $1 - 1 as after, min(e.key) as before from ${schema}.executions e where e.key >= $1 and e.key < $2
          union all
          select e.key, lead(e.key, 1, $2) over (order by e.key) from ${schema}.executions e where e.key >= $1 and e.key < $2
        ) gaps
        cross join lateral (select p.ctid from ${schema}.%1$I p where p.%2$I > gaps.after and p.%2$I < gaps.before limit $3) r
        limit $3))', old.part, old.key_column) using old.low, old.high, at_most - deleted;
    get diagnostics deleted_now = row_count;
    deleted := deleted + deleted_now;
    exit when deleted >= at_most;
  end loop;
  return deleted;
end
$function$;`;
}
