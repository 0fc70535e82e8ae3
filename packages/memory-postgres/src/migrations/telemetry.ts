import type { Migration } from './migration.ts';
import { dayOf, dropLock, summarizeTraces, writeTelemetry } from './write-telemetry.ts';

/** The key of the advisory lock that is held while the table of a day is created. */
const dayLock = 0x48_41_4d;

/**
 * Spans and logs are partitioned by day (UTC), so that old ones are removed by dropping tables: `spans_20260131`. Days far from today have no tables of their own; they
 * are stored in `spans_other` and `logs_other`. Times are milliseconds since the epoch with fractions.
 *
 * A row of `traces` summarizes the spans of a trace, so that lists and their totals read one row for each trace. `time` is the start time of the root. Writers lock the row.
 * `position` is the order of arrival: a number for each batch, and the place in the batch.
 *
 * `record` is the whole span or log as JSON; the other columns are those that queries use. `telemetry_counts` has the number of spans and logs for each day; the count of a
 * day is the sum of several rows, so that writers rarely wait for each other.
 */
export const telemetry: Migration = {
  number: 3,
  name: 'telemetry',
  sql: (schema) => `
create sequence ${schema}.telemetry_batches;
create table ${schema}.spans (
  trace_id text not null,
  span_id text not null,
  time double precision not null,
  position bigint not null,
  end_time double precision,
  is_entry boolean not null,
  status text not null,
  entity_type text,
  entity_id text,
  user_id text,
  record text not null,
  primary key (trace_id, span_id, time)
) partition by range (time);
create index spans_of_id on ${schema}.spans (span_id);
create index spans_of_entity on ${schema}.spans (entity_id, entity_type, time, position) where entity_id is not null;
create index spans_of_user on ${schema}.spans (user_id, entity_id, entity_type, time, position)
  where user_id is not null and entity_id is not null;
create table ${schema}.spans_other partition of ${schema}.spans default;

create table ${schema}.logs (
  time double precision not null,
  position bigint not null,
  trace_id text,
  span_id text,
  severity_number double precision not null,
  severity_text text not null,
  agent_id text,
  workflow_id text,
  execution_id text,
  conversation_id text,
  user_id text,
  record text not null
) partition by range (time);
create index logs_newest on ${schema}.logs (time, position);
create index logs_severe on ${schema}.logs (time, position) where severity_number >= 13;
create index logs_of_trace on ${schema}.logs (trace_id, time, position) where trace_id is not null;
create index logs_of_span on ${schema}.logs (span_id, time, position) where span_id is not null;
create index logs_of_agent on ${schema}.logs (agent_id, time, position) where agent_id is not null;
create index logs_of_workflow on ${schema}.logs (workflow_id, time, position) where workflow_id is not null;
create index logs_of_execution on ${schema}.logs (execution_id, time, position) where execution_id is not null;
create index logs_of_conversation on ${schema}.logs (conversation_id, time, position) where conversation_id is not null;
create index logs_of_user on ${schema}.logs (user_id, time, position) where user_id is not null;
create table ${schema}.logs_other partition of ${schema}.logs default;

create table ${schema}.traces (
  trace_id text primary key,
  position bigint not null,
  time double precision not null,
  first_time double precision not null,
  last_time double precision not null,
  end_time double precision,
  span_count integer not null default 0,
  root_span_id text not null default '',
  status text not null default 'running',
  entity_type text,
  entity_id text,
  user_ids text[] not null default '{}'
) with (fillfactor = 80);
create index traces_newest on ${schema}.traces (time, trace_id);
create index traces_oldest on ${schema}.traces (first_time);
create index traces_of_status on ${schema}.traces (status, time, trace_id);
create index traces_of_entity on ${schema}.traces (entity_id, time, trace_id) include (entity_type);
create index traces_of_entity_type on ${schema}.traces (entity_type, time, trace_id);
create index traces_of_users on ${schema}.traces using gin (user_ids) where user_ids <> '{}';

create table ${schema}.telemetry_counts (
  kind text not null,
  day integer not null,
  shard integer not null,
  amount bigint not null,
  primary key (kind, day, shard)
) with (fillfactor = 50);

${addCount(schema)}
${openDays(schema)}
${dropDay(schema)}
${writeTelemetry(schema)}
${summarizeTraces(schema)}
${deleteTraces(schema)}
${forgetOld(schema)}`,
};

/** Adds to the counts of days. Most connections use rows of their own. */
function addCount(schema: string): string {
  return `
create function ${schema}.add_telemetry_count(of_kind text, days integer[], amounts bigint[]) returns void
language sql set enable_seqscan = off as $function$
  insert into ${schema}.telemetry_counts as c (kind, day, shard, amount)
    select of_kind, d.day, pg_backend_pid() % 8, sum(d.amount) from unnest(days, amounts) as d (day, amount) where d.amount <> 0
    group by d.day order by d.day
    on conflict (kind, day, shard) do update set amount = c.amount + excluded.amount;
$function$;`;
}

/**
 * Creates the missing tables of days, with the rights of the owner of the schema. Rows of such a day are moved out of the default partition. Attaching a table locks
 * least: other writers wait only while these rows are moved.
 */
function openDays(schema: string): string {
  return `
create function ${schema}.open_telemetry_days(parent text, times double precision[]) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $function$
declare
  today constant integer := floor(extract(epoch from clock_timestamp()) / 86400);
  wanted integer;
  name text;
  part text;
  others constant text := format('${schema}.%I', parent || '_other');
  of_day text;
begin
  for wanted in
    select distinct ${dayOf('t.time')} as day from unnest(times) as t (time)
    where t.time >= (today - 90) * 86400000.0 and t.time < (today + 2) * 86400000.0 order by day
  loop
    name := parent || '_' || to_char(date '1970-01-01' + wanted, 'YYYYMMDD');
    continue when exists (select from pg_class c where c.relname = name and c.relnamespace = '${schema}'::regnamespace);
    perform pg_advisory_xact_lock(${dayLock}, hashtext('${schema}'));
    -- Another connection may have created the table in the meantime. \`to_regclass\` would return a cached result.
    continue when exists (select from pg_class c where c.relname = name and c.relnamespace = '${schema}'::regnamespace);
    part := format('${schema}.%I', name);
    of_day := format('time >= %s and time < %s', wanted * 86400000.0, (wanted + 1) * 86400000.0);
    execute format('create table %s (like ${schema}.%I including all)', part, parent);
    execute format('lock table %s in access exclusive mode', others);
    execute format('insert into %s select * from %s where %s', part, others, of_day);
    execute format('delete from %s where %s', others, of_day);
    execute format('alter table ${schema}.%I attach partition %s for values from (%s) to (%s)',
      parent, part, wanted * 86400000.0, (wanted + 1) * 86400000.0);
  end loop;
end
$function$;`;
}

/** Drops the oldest table of a day before the given one. Returns null when there is none. Fails after three seconds of waiting for its lock. */
function dropDay(schema: string): string {
  return `
create function ${schema}.drop_telemetry_day(before integer) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '3s' as $function$
declare
  oldest record;
  dropped bigint;
begin
  perform pg_advisory_xact_lock(${dropLock}, hashtext('${schema}'));
  select p.relname as parent, c.relname as part, to_date(right(c.relname, 8), 'YYYYMMDD') - date '1970-01-01' as day into oldest
    from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
    where i.inhparent in ('${schema}.spans'::regclass, '${schema}.logs'::regclass) and c.relname ~ '_[0-9]{8}$'
      and to_date(right(c.relname, 8), 'YYYYMMDD') - date '1970-01-01' < before
    order by 3, 1 limit 1;
  if not found then
    return null;
  end if;
  execute format('drop table ${schema}.%I', oldest.part);
  with gone as (delete from ${schema}.telemetry_counts c where c.kind = oldest.parent and c.day = oldest.day returning c.amount)
    select coalesce(sum(amount), 0) into dropped from gone;
  return dropped;
end
$function$;`;
}

/** Deletes some of the traces of a user with their spans, and some of the user's logs. Returns how many of each. */
function deleteTraces(schema: string): string {
  return `
create function ${schema}.delete_user_telemetry(of_user text, at_most integer)
returns table (traces integer, logs integer)
language plpgsql set enable_seqscan = off as $function$
declare
  ids text[];
  low double precision;
  high double precision;
  span_days integer[];
  span_amounts bigint[];
  log_days integer[];
  log_amounts bigint[];
begin
  select array_agg(l.trace_id), min(l.first_time), max(l.last_time) into ids, low, high from (
    select t.trace_id, t.first_time, t.last_time from ${schema}.traces t
    where t.user_ids <> '{}' and t.user_ids @> array[of_user] order by t.trace_id limit at_most for update) l;
  with gone as (
    delete from ${schema}.spans s where s.trace_id = any(ids) and s.time between low and high returning s.time
  ), by_day as (
    select ${dayOf('g.time')} as day, -count(*) as amount from gone g group by 1
  )
  select array_agg(d.day), array_agg(d.amount) into span_days, span_amounts from by_day d;
  delete from ${schema}.traces t where t.trace_id = any(ids);
  with few as materialized (
    select l.time, l.position from ${schema}.logs l where l.user_id = of_user order by l.time limit at_most * 10
  ), gone as (
    delete from ${schema}.logs l using few f where l.time = f.time and l.position = f.position returning l.time
  ), by_day as (
    select ${dayOf('g.time')} as day, -count(*) as amount from gone g group by 1
  )
  select array_agg(d.day), array_agg(d.amount) into log_days, log_amounts from by_day d;
  traces := coalesce(cardinality(ids), 0);
  logs := coalesce((select -sum(a) from unnest(log_amounts) as a), 0);
  perform ${schema}.add_telemetry_count('logs', log_days, log_amounts);
  perform ${schema}.add_telemetry_count('spans', span_days, span_amounts);
  perform ${schema}.add_telemetry_count('traces', array[0], array[-traces::bigint]);
  return next;
end
$function$;`;
}

/** Deletes some of the spans and logs before a time that are in the default partitions, and summarizes traces again whose spans were dropped. */
function forgetOld(schema: string): string {
  return `
create function ${schema}.forget_old_telemetry(before double precision, at_most integer)
returns table (spans integer, logs integer, traces integer)
language plpgsql set enable_seqscan = off as $function$
declare
  ids text[];
  span_days integer[];
  span_amounts bigint[];
  log_days integer[];
  log_amounts bigint[];
begin
  ids := array(select t.trace_id from ${schema}.traces t where t.first_time < before order by t.first_time limit at_most for update skip locked);
  with gone as (
    delete from ${schema}.spans_other s where s.time < before and s.trace_id = any(ids) returning s.time
  ), by_day as (
    select ${dayOf('g.time')} as day, -count(*) as amount from gone g group by 1
  )
  select array_agg(d.day), array_agg(d.amount) into span_days, span_amounts from by_day d;
  with few as materialized (
    select l.time, l.position from ${schema}.logs_other l where l.time < before order by l.time limit at_most * 10
  ), gone as (
    delete from ${schema}.logs_other l using few f where l.time = f.time and l.position = f.position returning l.time
  ), by_day as (
    select ${dayOf('g.time')} as day, -count(*) as amount from gone g group by 1
  )
  select array_agg(d.day), array_agg(d.amount) into log_days, log_amounts from by_day d;
  perform ${schema}.summarize_traces(ids, '-infinity', 'infinity');
  perform ${schema}.add_telemetry_count('logs', log_days, log_amounts);
  perform ${schema}.add_telemetry_count('spans', span_days, span_amounts);
  spans := coalesce((select -sum(a) from unnest(span_amounts) as a), 0);
  logs := coalesce((select -sum(a) from unnest(log_amounts) as a), 0);
  traces := cardinality(ids) - (select count(*) from ${schema}.traces t where t.trace_id = any(ids) and t.first_time < before);
  return next;
end
$function$;`;
}
