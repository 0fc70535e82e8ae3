import type { Migration } from './migration.ts';
import { dayOf, dropLock, positionsPerBatch } from './write-telemetry.ts';

/** The resolutions of cells, in milliseconds. */
export const resolutions = { minute: 60_000, hour: 3_600_000 } as const;

/**
 * Counts of runs and model calls for each minute and each hour, so that metrics of weeks read few rows. Writers add what they insert, and subtract what they replace or delete; the
 * columns of a span have what was added for it.
 *
 * `kind` is what `name` identifies: all requests, an agent, a workflow, a model or a user. Requests count in the cell of their start. There may be as many cells of users as requests: the
 * course of a few users is read by their names.
 */
export const telemetryMetrics: Migration = {
  number: 22,
  name: 'telemetry-metrics',
  sql: (schema) => `
create table ${schema}.telemetry_metrics (
  resolution integer not null,
  kind text not null,
  time double precision not null,
  name text not null,
  requests bigint not null,
  errors bigint not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cached_tokens bigint not null,
  cost double precision,
  latencies integer[] not null,
  primary key (resolution, kind, time, name)
) with (fillfactor = 85);
create index telemetry_metrics_of_user on ${schema}.telemetry_metrics (name, time) where kind = 'user' and resolution = ${resolutions.hour};
alter table ${schema}.spans
  add column latency_bucket smallint,
  add column owner_id text,
  add column workflow_id text,
  add column agent_id text,
  add column model text,
  add column input_tokens bigint,
  add column output_tokens bigint,
  add column cached_tokens bigint,
  add column cost double precision;

${addLatencies(schema)}
${countSpans(schema)}
${writeTelemetry(schema)}
${deleteTraces(schema)}
${dropDay(schema)}
${forgetOld(schema)}`,
};

/** The cells of the spans in `s`, of which `s.sign` tells whether they are added or subtracted. A cell counts the requests of its kind, and the tokens of model calls. */
export function cellsOf(schema: string, spans: string): string {
  return `
    select r.resolution, p.kind, floor(s.time / r.resolution) * r.resolution as time, p.name,
      sum(s.sign) filter (where p.counts) as requests,
      sum(s.sign) filter (where p.counts and s.status = 'error') as errors,
      sum(s.sign * s.input_tokens)::bigint as input_tokens, sum(s.sign * s.output_tokens)::bigint as output_tokens,
      sum(s.sign * s.cached_tokens)::bigint as cached_tokens, sum(s.sign * s.cost) as cost,
      ${schema}.latency_counts(array_agg(s.latency_bucket) filter (where p.counts), array_agg(s.sign) filter (where p.counts)) as latencies,
      bool_or(s.sign > 0) as is_added
    from ${spans} s
    cross join lateral (values
      ('request', '', s.is_entry),
      ('agent', case when s.model is not null then s.agent_id when s.entity_type = 'agent' then s.entity_id end, s.model is null),
      ('workflow', case when s.model is not null then s.workflow_id when s.entity_type = 'workflow' then s.entity_id end, s.model is null),
      ('user', s.owner_id, s.is_entry),
      ('model', s.model, true)) p (kind, name, counts)
    cross join (values (${resolutions.minute}), (${resolutions.hour})) r (resolution)
    where s.latency_bucket is not null and p.name is not null and (p.counts or s.model is not null)
    group by 1, 2, 3, 4`;
}

/**
 * How many durations are in each bucket, as an array whose index is the bucket. Arrays begin and end anywhere, so that those of cells with few requests, which are most, are short; an element
 * that is missing is null.
 */
function addLatencies(schema: string): string {
  return `
create function ${schema}.latency_counts(buckets smallint[], signs integer[]) returns integer[]
language plpgsql immutable as $function$
declare
  counts integer[] := '{}';
begin
  for i in 1 .. coalesce(cardinality(buckets), 0) loop
    counts[buckets[i]] := coalesce(counts[buckets[i]], 0) + signs[i];
  end loop;
  return counts;
end
$function$;
create function ${schema}.add_latencies(counts integer[], added integer[]) returns integer[]
language plpgsql immutable as $function$
begin
  for bucket in coalesce(array_lower(added, 1), 0) .. coalesce(array_upper(added, 1), -1) loop
    if added[bucket] is not null then
      counts[bucket] := coalesce(counts[bucket], 0) + added[bucket];
    end if;
  end loop;
  return counts;
end
$function$;`;
}

/** Adds and subtracts spans. Cells are locked in the order of their keys, so that writers do not deadlock. Cells of which nothing is left are deleted: they may name a user. */
export function countSpans(schema: string): string {
  const key = `m.resolution = c.resolution and m.kind = c.kind and m.time = c.time and m.name = c.name`;
  return `
create function ${schema}.count_spans(added ${schema}.spans[], removed ${schema}.spans[]) returns void
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $function$
begin
  insert into ${schema}.telemetry_metrics as m
      (resolution, kind, time, name, requests, errors, input_tokens, output_tokens, cached_tokens, cost, latencies)
    select c.resolution, c.kind, c.time, c.name, coalesce(c.requests, 0), coalesce(c.errors, 0), coalesce(c.input_tokens, 0), coalesce(c.output_tokens, 0),
      coalesce(c.cached_tokens, 0), c.cost, c.latencies
    from (${cellsOf(schema, '(select a.*, 1 as sign from unnest(added) a union all select r.*, -1 from unnest(removed) r)')}) c
    where c.is_added or exists (select from ${schema}.telemetry_metrics m where ${key})
    order by c.resolution, c.kind, c.time, c.name
    on conflict (resolution, kind, time, name) do update set
      requests = m.requests + excluded.requests, errors = m.errors + excluded.errors,
      input_tokens = m.input_tokens + excluded.input_tokens, output_tokens = m.output_tokens + excluded.output_tokens,
      cached_tokens = m.cached_tokens + excluded.cached_tokens,
      cost = case when m.cost is null then excluded.cost else m.cost + coalesce(excluded.cost, 0) end,
      latencies = ${schema}.add_latencies(m.latencies, excluded.latencies);
  if cardinality(removed) > 0 then
    delete from ${schema}.telemetry_metrics m
      using (${cellsOf(schema, '(select r.*, -1 as sign from unnest(removed) r)')}) c
      where ${key} and m.requests = 0 and m.input_tokens = 0 and m.output_tokens = 0;
  end if;
end
$function$;`;
}

/**
 * As in the migrations before, and counts the spans that it inserts and replaces, as the last of its changes: others wait for these rows. A model call belongs to the user and the
 * workflow of its trace.
 */
function writeTelemetry(schema: string): string {
  return `
create or replace function ${schema}.write_telemetry(span_rows json, log_rows json) returns void
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $function$
declare
  base constant bigint := nextval('${schema}.telemetry_batches') * ${positionsPerBatch};
  incoming constant ${schema}.spans[] := array(select r from json_populate_recordset(null::${schema}.spans, span_rows) r);
  lines constant ${schema}.logs[] := array(select r from json_populate_recordset(null::${schema}.logs, log_rows) r);
  ids constant text[] := array(select distinct i.trace_id from unnest(incoming) i order by 1);
  low double precision;
  high double precision;
  locked integer;
  created bigint := 0;
  created_now bigint;
  days integer[];
  amounts bigint[];
  added ${schema}.spans[];
  removed ${schema}.spans[];
begin
  perform pg_advisory_xact_lock_shared(${dropLock}, hashtext('${schema}'));
  perform ${schema}.open_telemetry_days('spans', array(select i.time from unnest(incoming) i));
  perform ${schema}.open_telemetry_days('logs', array(select l.time from unnest(lines) l));

  -- A trace that is deleted between the two statements is inserted again.
  while cardinality(ids) > 0 loop
    insert into ${schema}.traces (trace_id, position, time, first_time, last_time)
      select i.trace_id, base, min(i.time), min(i.time), max(i.time) from unnest(incoming) i group by i.trace_id order by i.trace_id
      on conflict (trace_id) do nothing;
    get diagnostics created_now = row_count;
    created := created + created_now;
    select count(*), min(t.first_time), max(t.last_time) into locked, low, high
      from (select * from ${schema}.traces where trace_id = any(ids) order by trace_id for update) t;
    exit when locked = cardinality(ids);
  end loop;

  if created < cardinality(ids) then
    with replaced as (
      delete from ${schema}.spans s using unnest(incoming) i
        where s.trace_id = i.trace_id and s.span_id = i.span_id and s.time between low and high and (s.end_time is null or i.end_time is not null)
        returning s
    ), by_day as (
      select ${dayOf('(r.s).time')} as day, -count(*) as amount from replaced r group by 1
    )
    select array_agg(d.day), array_agg(d.amount), (select array_agg(r.s) filter (where (r.s).latency_bucket is not null) from replaced r)
      into days, amounts, removed from by_day d;
    perform ${schema}.add_telemetry_count('spans', days, amounts);
  end if;
  with inserted as (
    insert into ${schema}.spans as s (trace_id, span_id, time, position, end_time, is_entry, status, entity_type, entity_id, user_id, record,
        latency_bucket, owner_id, workflow_id, agent_id, model, input_tokens, output_tokens, cached_tokens, cost)
      select i.trace_id, i.span_id, i.time, base + i.position, i.end_time, i.is_entry, i.status, i.entity_type, i.entity_id, i.user_id, i.record,
        i.latency_bucket, coalesce(i.owner_id, known.owner_id), coalesce(i.workflow_id, known.workflow_id), i.agent_id, i.model, i.input_tokens, i.output_tokens,
        i.cached_tokens, i.cost
      from unnest(incoming) i
      left join lateral (
        select t.user_ids[1] as owner_id, case when t.entity_type = 'workflow' then t.entity_id end as workflow_id from ${schema}.traces t
        where t.trace_id = i.trace_id and i.latency_bucket is not null and created < cardinality(ids) limit 1) known on true
      where not exists (select from ${schema}.spans s where s.trace_id = i.trace_id and s.span_id = i.span_id and s.time between low and high)
      returning s
  ), by_day as (
    select ${dayOf('(n.s).time')} as day, count(*) as amount from inserted n group by 1
  )
  select array_agg(d.day), array_agg(d.amount), (select array_agg(n.s) filter (where (n.s).latency_bucket is not null) from inserted n)
    into days, amounts, added from by_day d;
  perform ${schema}.add_telemetry_count('spans', days, amounts);
  perform ${schema}.add_telemetry_count('traces', array[0], array[created]);
  perform ${schema}.summarize_traces(ids, least(low, (select min(i.time) from unnest(incoming) i)), greatest(high, (select max(i.time) from unnest(incoming) i)));

  insert into ${schema}.logs (time, position, trace_id, span_id, severity_number, severity_text, agent_id, workflow_id, execution_id, conversation_id,
      user_id, record)
    select l.time, base + l.position, l.trace_id, l.span_id, l.severity_number, l.severity_text, l.agent_id, l.workflow_id, l.execution_id, l.conversation_id,
      l.user_id, l.record
    from unnest(lines) l;
  select array_agg(d.day), array_agg(d.amount) into days, amounts from (
    select ${dayOf('l.time')} as day, count(*) as amount from unnest(lines) l group by 1) d;
  perform ${schema}.add_telemetry_count('logs', days, amounts);
  if added is not null or removed is not null then
    perform ${schema}.count_spans(coalesce(added, '{}'), coalesce(removed, '{}'));
  end if;
end
$function$;`;
}

/** Deletes some of the traces of a user with their spans and what was counted of them, and some of the user's logs. Returns how many of each. */
function deleteTraces(schema: string): string {
  return `
create or replace function ${schema}.delete_user_telemetry(of_user text, at_most integer)
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
  removed ${schema}.spans[];
begin
  select array_agg(l.trace_id), min(l.first_time), max(l.last_time) into ids, low, high from (
    select t.trace_id, t.first_time, t.last_time from ${schema}.traces t
    where t.user_ids <> '{}' and t.user_ids @> array[of_user] order by t.trace_id limit at_most for update) l;
  with gone as (
    delete from ${schema}.spans s where s.trace_id = any(ids) and s.time between low and high returning s
  ), by_day as (
    select ${dayOf('(g.s).time')} as day, -count(*) as amount from gone g group by 1
  )
  select array_agg(d.day), array_agg(d.amount), (select array_agg(g.s) filter (where (g.s).latency_bucket is not null) from gone g)
    into span_days, span_amounts, removed from by_day d;
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
  if removed is not null then
    perform ${schema}.count_spans('{}', removed);
  end if;
  return next;
end
$function$;`;
}

/** Drops the oldest table of a day before the given one, with what was counted of it. Returns null when there is none. Fails after three seconds of waiting for its lock. */
function dropDay(schema: string): string {
  return `
create or replace function ${schema}.drop_telemetry_day(before integer) returns bigint
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
  if oldest.parent = 'spans' then
    delete from ${schema}.telemetry_metrics m where m.resolution in (${Object.values(resolutions).join(', ')})
      and m.kind in ('request', 'agent', 'workflow', 'model', 'user')
      and m.time >= oldest.day * 86400000.0 and m.time < (oldest.day + 1) * 86400000.0;
  end if;
  with gone as (delete from ${schema}.telemetry_counts c where c.kind = oldest.parent and c.day = oldest.day returning c.amount)
    select coalesce(sum(amount), 0) into dropped from gone;
  return dropped;
end
$function$;`;
}

/** Deletes some of the spans and logs before a time that are in the default partitions, and summarizes traces again whose spans were dropped. */
function forgetOld(schema: string): string {
  return `
create or replace function ${schema}.forget_old_telemetry(before double precision, at_most integer)
returns table (spans integer, logs integer, traces integer)
language plpgsql set enable_seqscan = off as $function$
declare
  ids text[];
  span_days integer[];
  span_amounts bigint[];
  log_days integer[];
  log_amounts bigint[];
  removed ${schema}.spans[];
begin
  ids := array(select t.trace_id from ${schema}.traces t where t.first_time < before order by t.first_time limit at_most for update skip locked);
  with gone as (
    delete from ${schema}.spans_other s where s.time < before and s.trace_id = any(ids) returning s.trace_id, s.span_id, s.time, s.position, s.end_time, s.is_entry,
      s.status, s.entity_type, s.entity_id, s.user_id, s.record, s.latency_bucket, s.owner_id, s.workflow_id, s.agent_id, s.model, s.input_tokens, s.output_tokens,
      s.cached_tokens, s.cost
  ), by_day as (
    select ${dayOf('g.time')} as day, -count(*) as amount from gone g group by 1
  )
  select array_agg(d.day), array_agg(d.amount), (select array_agg((g.*)::${schema}.spans) filter (where g.latency_bucket is not null) from gone g)
    into span_days, span_amounts, removed from by_day d;
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
  if removed is not null then
    perform ${schema}.count_spans('{}', removed);
  end if;
  spans := coalesce((select -sum(a) from unnest(span_amounts) as a), 0);
  logs := coalesce((select -sum(a) from unnest(log_amounts) as a), 0);
  traces := cardinality(ids) - (select count(*) from ${schema}.traces t where t.trace_id = any(ids) and t.first_time < before);
  return next;
end
$function$;`;
}
