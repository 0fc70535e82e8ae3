/** The key of the advisory lock that is held while the tables of days are created or dropped. */
const daysLock = 0x48_41_45;

/** The tables that are partitioned, and the column of the execution's key, as rows of `values`. */
const tablesOfDays = `('execution_events', 'execution_key'), ('execution_journal', 'root_key')`;

/** Tables of days that ended before the key `before`, the oldest first. */
const earlierDays = `
    select t.parent, t.key_column, c.relname as part, named.day << 36 as low, (named.day + 1) << 36 as high
    from (values ${tablesOfDays}) as t (parent, key_column)
      join pg_inherits i on i.inhparent = format('halyard.%I', t.parent)::regclass
      join pg_class c on c.oid = i.inhrelid and c.relname ~ '_[0-9]{8}$',
      lateral (select (to_date(right(c.relname, 8), 'YYYYMMDD') - date '1970-01-01')::bigint as day) named
    where (named.day + 1) << 36 <= before order by named.day, t.parent`;

/**
 * The events and journals of a day (UTC) are one table each, so that old ones are removed by
 * dropping tables.
 */
export const executionDays: string = `
-- Days without a table, and the few executions of a dropped day that are left.
create table halyard.execution_events_other partition of halyard.execution_events default;
create table halyard.execution_journal_other partition of halyard.execution_journal default;

-- Creates the missing tables of today and of the next three days, with the rights of the owner of
-- the schema. Rows of such a day are moved out of the default partition. Gives up after a second of
-- waiting for its locks; others wait for that long, too.
create function halyard.open_execution_days() returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '1s' as $function$
declare
  today constant integer := floor(extract(epoch from clock_timestamp()) / 86400);
  wanted record;
  part text;
  others text;
  of_day text;
begin
  for wanted in
    select t.parent, t.key_column, day, t.parent || '_' || to_char(date '1970-01-01' + day, 'YYYYMMDD') as name
    from (values ${tablesOfDays}) as t (parent, key_column), generate_series(today, today + 3) as day order by 1, 3
  loop
    continue when exists (select from pg_class c where c.relname = wanted.name
      and c.relnamespace = 'halyard'::regnamespace);
    perform pg_advisory_xact_lock(${daysLock}, hashtext('halyard'));
    -- Another connection may have created the table in the meantime.
    continue when exists (select from pg_class c where c.relname = wanted.name
      and c.relnamespace = 'halyard'::regnamespace);
    part := format('halyard.%I', wanted.name);
    others := format('halyard.%I', wanted.parent || '_other');
    of_day := format('%I >= %s and %I < %s', wanted.key_column, wanted.day::bigint << 36, wanted.key_column,
      (wanted.day + 1)::bigint << 36);
    execute format('create table %s (like halyard.%I including all)', part, wanted.parent);
    execute format('lock table %s in access exclusive mode', others);
    execute format('insert into %s select * from %s where %s', part, others, of_day);
    execute format('delete from %s where %s', others, of_day);
    execute format('alter table halyard.%I attach partition %s for values from (%s) to (%s)',
      wanted.parent, part, wanted.day::bigint << 36, (wanted.day + 1)::bigint << 36);
  end loop;
exception when lock_not_available then
  -- There are tables for the next days, and the default partition after that.
  null;
end
$function$;
select halyard.open_execution_days();

-- Drops the oldest table of a day that ended older_than_ms ago and of whose executions at most
-- at_most are left, and returns whether there was one. The rows of these few are moved to the
-- default partition. Gives up after a second of waiting for its locks; others wait for that long,
-- too.
create function halyard.drop_execution_day(older_than_ms bigint, at_most integer, shift_ms bigint) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '1s' as $function$
declare
  today constant bigint := floor(extract(epoch from clock_timestamp()) / 86400);
  before constant bigint := least(today, today + (shift_ms - older_than_ms) / 86400000) << 36;
  old record;
  kept integer;
begin
  for old in${earlierDays}
  loop
    select count(*) into kept from (
      select from halyard.executions e where e.key >= old.low and e.key < old.high limit at_most + 1) few;
    continue when kept > at_most;
    perform pg_advisory_xact_lock(${daysLock}, hashtext('halyard'));
    -- Another connection may have dropped the table in the meantime.
    continue when not exists (select from pg_class c where c.relname = old.part
      and c.relnamespace = 'halyard'::regnamespace);
    execute format('alter table halyard.%I detach partition halyard.%I', old.parent, old.part);
    execute format('insert into halyard.%I select p.* from halyard.executions e join halyard.%I p on p.%I = e.key
        where e.key >= $1 and e.key < $2',
      old.parent, old.part, old.key_column) using old.low, old.high;
    execute format('drop table halyard.%I', old.part);
    return true;
  end loop;
  return false;
exception when lock_not_available then
  return false;
end
$function$;

-- Deletes, with the rights of the owner of the schema, up to at_most events and journal entries
-- whose execution was deleted, of days that ended older_than_ms ago and of whose executions more
-- than survivors are left. Returns how many. The rows of deleted executions are those between the
-- keys of the executions that are left: the index is searched once for each of these.
create function halyard.purge_day_rows(
  older_than_ms bigint, survivors integer, shift_ms bigint, at_most integer
) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off
  set enable_hashjoin = off set enable_mergejoin = off as $function$
declare
  today constant bigint := floor(extract(epoch from clock_timestamp()) / 86400);
  before constant bigint := least(today, today + (shift_ms - older_than_ms) / 86400000) << 36;
  old record;
  kept integer;
  deleted integer := 0;
  deleted_now integer;
begin
  for old in${earlierDays}
  loop
    select count(*) into kept from (
      select from halyard.executions e where e.key >= old.low and e.key < old.high limit survivors + 1) few;
    continue when kept <= survivors;
    execute format('
      delete from halyard.%1$I p where p.ctid = any(array(
        select r.ctid from (
          select $1 - 1 as after, min(e.key) as before from halyard.executions e where e.key >= $1 and e.key < $2
          union all
          select e.key, lead(e.key, 1, $2) over (order by e.key) from halyard.executions e where e.key >= $1
            and e.key < $2
        ) gaps
        cross join lateral (select p.ctid from halyard.%1$I p where p.%2$I > gaps.after and p.%2$I < gaps.before
          limit $3) r
        limit $3))', old.part, old.key_column) using old.low, old.high, at_most - deleted;
    get diagnostics deleted_now = row_count;
    deleted := deleted + deleted_now;
    exit when deleted >= at_most;
  end loop;
  return deleted;
end
$function$;
`;
