import { toDay } from '../fragments.ts';

/** The key of the advisory lock that is held while the table of a day is created. */
const dayLock = 0x48_41_4d;
/**
 * The key of the advisory lock that writers share, and that is taken exclusively to drop the table
 * of a day.
 */
export const dropLock = 0x48_41_4e;

/**
 * Spans and logs, one table for each day (UTC), so that old ones are removed by dropping tables.
 * Days far from today have no tables of their own. Times are milliseconds since the epoch with
 * fractions. `position` is the order of arrival, and `record` the whole span or log as JSON; the
 * other columns are those that queries use.
 */
export const telemetry: string = `
create sequence halyard.telemetry_batches;

-- The columns from latency_bucket on have what was added to telemetry_metrics for the span.
create table halyard.spans (
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
  latency_bucket smallint,
  owner_id text,
  workflow_id text,
  agent_id text,
  model text,
  input_tokens bigint,
  output_tokens bigint,
  cached_tokens bigint,
  cost double precision,
  primary key (trace_id, span_id, time)
) partition by range (time);
create index spans_of_id on halyard.spans (span_id);
create index spans_of_entity on halyard.spans (entity_id, entity_type, time, position) where entity_id is not null;
create index spans_of_user on halyard.spans (user_id, entity_id, entity_type, time, position)
  where user_id is not null and entity_id is not null;
create index spans_of_model on halyard.spans (model, time, position) where model is not null;
create index spans_of_entries on halyard.spans (time, position) where is_entry;
create index spans_failed on halyard.spans (time, position) where status = 'error';
create table halyard.spans_other partition of halyard.spans default;

create table halyard.logs (
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
create index logs_newest on halyard.logs (time, position);
create index logs_severe on halyard.logs (time, position) include (severity_number) where severity_number >= 13;
-- Most lines are of this severity, and write no entry.
create index logs_of_severity on halyard.logs (severity_text, time, position) where severity_text <> 'INFO';
create index logs_of_trace on halyard.logs (trace_id, time, position) where trace_id is not null;
create index logs_of_span on halyard.logs (span_id, time, position) where span_id is not null;
create index logs_of_agent on halyard.logs (agent_id, time, position) where agent_id is not null;
create index logs_of_workflow on halyard.logs (workflow_id, time, position) where workflow_id is not null;
create index logs_of_execution on halyard.logs (execution_id, time, position) where execution_id is not null;
create index logs_of_conversation on halyard.logs (conversation_id, time, position) where conversation_id is not null;
create index logs_of_user on halyard.logs (user_id, time, position) where user_id is not null;
create table halyard.logs_other partition of halyard.logs default;

-- How many spans and logs there are for each day. The count of a day is the sum of several rows, so
-- that writers rarely wait for each other.
create table halyard.telemetry_counts (
  kind text not null,
  day integer not null,
  shard integer not null,
  amount bigint not null,
  primary key (kind, day, shard)
) with (fillfactor = 50);

-- Most connections use rows of their own.
create function halyard.add_telemetry_count(of_kind text, days integer[], amounts bigint[]) returns void
language sql set enable_seqscan = off as $function$
  insert into halyard.telemetry_counts as c (kind, day, shard, amount)
    select of_kind, d.day, pg_backend_pid() % 8, sum(d.amount)
      from unnest(days, amounts) as d (day, amount) where d.amount <> 0
    group by d.day order by d.day
    on conflict (kind, day, shard) do update set amount = c.amount + excluded.amount;
$function$;

-- Creates the missing tables of days, with the rights of the owner of the schema. Rows of such a
-- day are moved out of the default partition. Attaching a table locks least: other writers wait
-- only while these rows are moved.
create function halyard.open_telemetry_days(parent text, times double precision[]) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $function$
declare
  today constant integer := floor(extract(epoch from clock_timestamp()) / 86400);
  wanted integer;
  name text;
  part text;
  others constant text := format('halyard.%I', parent || '_other');
  of_day text;
begin
  for wanted in
    select distinct ${toDay('t.time')} as day from unnest(times) as t (time)
    where t.time >= (today - 90) * 86400000.0 and t.time < (today + 2) * 86400000.0 order by day
  loop
    name := parent || '_' || to_char(date '1970-01-01' + wanted, 'YYYYMMDD');
    continue when exists (select from pg_class c where c.relname = name and c.relnamespace = 'halyard'::regnamespace);
    perform pg_advisory_xact_lock(${dayLock}, hashtext('halyard'));
    -- Another connection may have created the table in the meantime. to_regclass would return a
    -- cached result.
    continue when exists (select from pg_class c where c.relname = name and c.relnamespace = 'halyard'::regnamespace);
    part := format('halyard.%I', name);
    of_day := format('time >= %s and time < %s', wanted * 86400000.0, (wanted + 1) * 86400000.0);
    execute format('create table %s (like halyard.%I including all)', part, parent);
    execute format('lock table %s in access exclusive mode', others);
    execute format('insert into %s select * from %s where %s', part, others, of_day);
    execute format('delete from %s where %s', others, of_day);
    execute format('alter table halyard.%I attach partition %s for values from (%s) to (%s)',
      parent, part, wanted * 86400000.0, (wanted + 1) * 86400000.0);
  end loop;
end
$function$;
`;
