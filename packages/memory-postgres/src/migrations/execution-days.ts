import type { Migration } from './migration.ts';

/** The key of the advisory lock that is held while the tables of days are created or dropped. */
const daysLock = 0x48_41_45;

/** The tables that are partitioned, and the column of the execution's key. */
const tables = [
  { name: 'execution_events', column: 'execution_key', columns: 'execution_key, seq' },
  { name: 'execution_journal', column: 'root_key', columns: 'root_key, position' },
] as const;

/**
 * The events and the journal of executions are partitioned by the day (UTC) on which the execution was created, so that old ones are removed by dropping tables:
 * `execution_events_20260131`. The key of an execution contains its day: `day << 36`, plus a number. So each lookup by key reads one partition, and no statement needs a date.
 *
 * What was stored before this migration is in `execution_events_until_20260131`. Days without a table are stored in `execution_events_other`, and so are the few executions of a dropped day that have not
 * ended, or have ended recently.
 */
export const executionDays: Migration = {
  number: 14,
  name: 'execution-days',
  sql: (schema) => `
create sequence ${schema}.execution_numbers;
alter table ${schema}.executions alter column key drop identity;
alter table ${schema}.executions alter column key set default
  (floor(extract(epoch from clock_timestamp()) / 86400)::bigint << 36) + nextval('${quoted(schema)}.execution_numbers');
alter sequence ${schema}.execution_numbers owned by ${schema}.executions.key;
${tables.map((table) => partition(schema, table)).join('\n')}
${openDays(schema)}
${dropDay(schema)}
select ${schema}.open_execution_days();`,
};

function quoted(schema: string): string {
  return schema.replaceAll("'", "''");
}

/** The existing table becomes the first partition. */
function partition(schema: string, { column, columns, name }: (typeof tables)[number]): string {
  return `
alter table ${schema}.${name} rename to ${name}_before;
create table ${schema}.${name} (like ${schema}.${name}_before including defaults, constraint ${name}_by_key primary key (${columns})) partition by range (${column});
create table ${schema}.${name}_other partition of ${schema}.${name} default;
do $do$
declare
  today constant integer := floor(extract(epoch from clock_timestamp()) / 86400);
  part constant text := '${name}_until_' || to_char(date '1970-01-01' + today, 'YYYYMMDD');
begin
  execute format('alter table ${quoted(schema)}.${name}_before rename to %I', part);
  execute format('alter table ${quoted(schema)}.${name} attach partition ${quoted(schema)}.%I for values from (minvalue) to (%s)', part, today::bigint << 36);
end
$do$;`;
}

/** The tables of days and the columns of their keys, as rows of `values`. */
export const tablesOfDays: string = tables.map(({ column, name }) => `('${name}', '${column}')`).join(', ');

/**
 * Creates the missing tables of today and of the next three days, with the rights of the owner of the schema. Rows of such a day are moved out of the default partition. Gives up after a
 * second of waiting for its locks; others wait for that long, too.
 */
function openDays(schema: string): string {
  return `
create function ${schema}.open_execution_days() returns void
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
    continue when exists (select from pg_class c where c.relname = wanted.name and c.relnamespace = '${schema}'::regnamespace);
    perform pg_advisory_xact_lock(${daysLock}, hashtext('${quoted(schema)}'));
    -- Another connection may have created the table in the meantime.
    continue when exists (select from pg_class c where c.relname = wanted.name and c.relnamespace = '${schema}'::regnamespace);
    part := format('${quoted(schema)}.%I', wanted.name);
    others := format('${quoted(schema)}.%I', wanted.parent || '_other');
    of_day := format('%I >= %s and %I < %s', wanted.key_column, wanted.day::bigint << 36, wanted.key_column, (wanted.day + 1)::bigint << 36);
    execute format('create table %s (like ${quoted(schema)}.%I including all)', part, wanted.parent);
    execute format('lock table %s in access exclusive mode', others);
    execute format('insert into %s select * from %s where %s', part, others, of_day);
    execute format('delete from %s where %s', others, of_day);
    execute format('alter table ${quoted(schema)}.%I attach partition %s for values from (%s) to (%s)',
      wanted.parent, part, wanted.day::bigint << 36, (wanted.day + 1)::bigint << 36);
  end loop;
exception when lock_not_available then
  -- There are tables for the next days, and the default partition after that.
  null;
end
$function$;`;
}

/**
 * Drops the oldest table of a day that ended \`older_than_ms\` ago and of whose executions at most \`at_most\` are left, and returns whether there was one. The rows of these few are moved to the default partition.
 * Gives up after a second of waiting for its locks; others wait for that long, too.
 */
function dropDay(schema: string): string {
  return `
create function ${schema}.drop_execution_day(older_than_ms bigint, at_most integer, shift_ms bigint) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '1s' as $function$
declare
  today constant bigint := floor(extract(epoch from clock_timestamp()) / 86400);
  before constant bigint := least(today, today + (shift_ms - older_than_ms) / 86400000) << 36;
  old record;
  kept integer;
begin
  for old in
    select t.parent, t.key_column, c.relname as part, days.low, days.high
    from (values ${tablesOfDays}) as t (parent, key_column)
      join pg_inherits i on i.inhparent = format('${quoted(schema)}.%I', t.parent)::regclass
      join pg_class c on c.oid = i.inhrelid and c.relname ~ '_[0-9]{8}$',
      lateral (select (to_date(right(c.relname, 8), 'YYYYMMDD') - date '1970-01-01')::bigint as day) named,
      lateral (select case when c.relname ~ '_until_' then 0 else named.day << 36 end as low,
        (named.day + case when c.relname ~ '_until_' then 0 else 1 end) << 36 as high) days
    where days.high <= before order by days.low, t.parent
  loop
    select count(*) into kept from (
      select from ${schema}.executions e where e.key >= old.low and e.key < old.high limit at_most + 1) few;
    continue when kept > at_most;
    perform pg_advisory_xact_lock(${daysLock}, hashtext('${quoted(schema)}'));
    -- Another connection may have dropped the table in the meantime.
    continue when not exists (select from pg_class c where c.relname = old.part and c.relnamespace = '${schema}'::regnamespace);
    execute format('alter table ${quoted(schema)}.%I detach partition ${quoted(schema)}.%I', old.parent, old.part);
    execute format('insert into ${quoted(schema)}.%I select p.* from ${quoted(schema)}.executions e join ${quoted(schema)}.%I p on p.%I = e.key where e.key >= $1 and e.key < $2',
      old.parent, old.part, old.key_column) using old.low, old.high;
    execute format('drop table ${quoted(schema)}.%I', old.part);
    return true;
  end loop;
  return false;
exception when lock_not_available then
  return false;
end
$function$;`;
}
