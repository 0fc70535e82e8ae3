import { toDay } from '../fragments.ts';
import { resolutions } from './metrics.sql.ts';
import { dropLock } from './telemetry.sql.ts';

/** Deletes spans and logs, with their counts. */
export const deleteTelemetry: string = `
-- Deletes some of the traces of a user with their spans, and some of the user's logs. Returns how
-- many of each. A trace with entries of several users is left out: a caller may send the id of
-- somebody else's trace.
create function halyard.delete_user_telemetry(of_user text, at_most integer)
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
  removed halyard.spans[];
begin
  select array_agg(l.trace_id), min(l.first_time), max(l.last_time) into ids, low, high from (
    select t.trace_id, t.first_time, t.last_time from halyard.traces t
    where t.user_ids <> '{}' and t.user_ids @> array[of_user] and cardinality(t.user_ids) = 1 order by t.trace_id
      limit at_most for update) l;
  with gone as (
    delete from halyard.spans s where s.trace_id = any(ids) and s.time between low and high returning s
  ), by_day as (
    select ${toDay('(g.s).time')} as day, -count(*) as amount from gone g group by 1
  )
  select array_agg(d.day), array_agg(d.amount),
    (select array_agg(g.s) filter (where (g.s).latency_bucket is not null) from gone g)
    into span_days, span_amounts, removed from by_day d;
  delete from halyard.traces t where t.trace_id = any(ids);
  with few as materialized (
    select l.time, l.position from halyard.logs l where l.user_id = of_user order by l.time limit at_most * 10
  ), gone as (
    delete from halyard.logs l using few f where l.time = f.time and l.position = f.position returning l.time
  ), by_day as (
    select ${toDay('g.time')} as day, -count(*) as amount from gone g group by 1
  )
  select array_agg(d.day), array_agg(d.amount) into log_days, log_amounts from by_day d;
  traces := coalesce(cardinality(ids), 0);
  logs := coalesce((select -sum(a) from unnest(log_amounts) as a), 0);
  perform halyard.add_telemetry_count('logs', log_days, log_amounts);
  perform halyard.add_telemetry_count('spans', span_days, span_amounts);
  perform halyard.add_telemetry_count('traces', array[0], array[-traces::bigint]);
  if removed is not null then
    perform halyard.count_spans('{}', removed);
  end if;
  return next;
end
$function$;

-- Deletes spans of a trace, and summarizes the trace again. Other spans that were counted for the
-- user, because a model call counts for a user of its trace, are counted for one of the others.
-- Returns how many were deleted.
create function halyard.delete_spans_of_user(of_user text, of_trace text, ids text[]) returns integer
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $function$
declare
  low double precision;
  high double precision;
  removed halyard.spans[];
  before halyard.spans[];
  after halyard.spans[];
  days integer[];
  amounts bigint[];
begin
  select t.first_time, t.last_time into low, high from halyard.traces t where t.trace_id = of_trace for update;
  with gone as (
    delete from halyard.spans s where s.trace_id = of_trace and s.span_id = any(ids) and s.time between low and high
      returning s
  )
  select array_agg(g.s) into removed from gone g;
  select array_agg(d.day), array_agg(d.amount) into days, amounts from (
    select ${toDay('r.time')} as day, -count(*) as amount from unnest(removed) r group by 1) d;
  perform halyard.add_telemetry_count('spans', days, amounts);
  perform halyard.summarize_traces(array[of_trace], low, high);

  select array_agg(s) into before from halyard.spans s where s.trace_id = of_trace and s.time between low and high
    and s.owner_id = of_user;
  with changed as (
    update halyard.spans s set owner_id = (select t.user_ids[1] from halyard.traces t where t.trace_id = of_trace)
      where s.trace_id = of_trace and s.time between low and high and s.owner_id = of_user returning s
  )
  select array_agg(c.s) into after from changed c;
  perform halyard.count_spans(coalesce(after, '{}'), coalesce(removed, '{}') || coalesce(before, '{}'));
  return coalesce(cardinality(removed), 0);
end
$function$;

-- Drops the oldest table of a day before the given one. Returns null when there is none. Fails
-- after three seconds of waiting for its lock.
create function halyard.drop_telemetry_day(before integer) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '3s' as $function$
declare
  oldest record;
  dropped bigint;
begin
  perform pg_advisory_xact_lock(${dropLock}, hashtext('halyard'));
  select p.relname as parent, c.relname as part,
    to_date(right(c.relname, 8), 'YYYYMMDD') - date '1970-01-01' as day into oldest
    from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
    where i.inhparent in ('halyard.spans'::regclass, 'halyard.logs'::regclass) and c.relname ~ '_[0-9]{8}$'
      and to_date(right(c.relname, 8), 'YYYYMMDD') - date '1970-01-01' < before
    order by 3, 1 limit 1;
  if not found then
    return null;
  end if;
  execute format('drop table halyard.%I', oldest.part);
  if oldest.parent = 'spans' then
    delete from halyard.telemetry_metrics m where m.resolution in (${resolutions.minute}, ${resolutions.hour})
      and m.kind in ('request', 'agent', 'workflow', 'model', 'user')
      and m.time >= oldest.day * 86400000.0 and m.time < (oldest.day + 1) * 86400000.0;
  end if;
  with gone as (delete from halyard.telemetry_counts c where c.kind = oldest.parent and c.day = oldest.day
    returning c.amount)
    select coalesce(sum(amount), 0) into dropped from gone;
  return dropped;
end
$function$;

-- Deletes some of the spans and logs before a time that are in the default partitions, and
-- summarizes traces again whose spans were dropped.
create function halyard.forget_old_telemetry(before double precision, at_most integer)
returns table (spans integer, logs integer, traces integer)
language plpgsql set enable_seqscan = off as $function$
declare
  ids text[];
  span_days integer[];
  span_amounts bigint[];
  log_days integer[];
  log_amounts bigint[];
  removed halyard.spans[];
begin
  ids := array(select t.trace_id from halyard.traces t where t.first_time < before order by t.first_time limit at_most
    for update skip locked);
  with gone as (
    delete from halyard.spans_other s where s.time < before and s.trace_id = any(ids) returning s.*
  ), by_day as (
    select ${toDay('g.time')} as day, -count(*) as amount from gone g group by 1
  )
  select array_agg(d.day), array_agg(d.amount),
    (select array_agg((g.*)::halyard.spans) filter (where g.latency_bucket is not null) from gone g)
    into span_days, span_amounts, removed from by_day d;
  with few as materialized (
    select l.time, l.position from halyard.logs_other l where l.time < before order by l.time limit at_most * 10
  ), gone as (
    delete from halyard.logs_other l using few f where l.time = f.time and l.position = f.position returning l.time
  ), by_day as (
    select ${toDay('g.time')} as day, -count(*) as amount from gone g group by 1
  )
  select array_agg(d.day), array_agg(d.amount) into log_days, log_amounts from by_day d;
  perform halyard.summarize_traces(ids, '-infinity', 'infinity');
  perform halyard.add_telemetry_count('logs', log_days, log_amounts);
  perform halyard.add_telemetry_count('spans', span_days, span_amounts);
  if removed is not null then
    perform halyard.count_spans('{}', removed);
  end if;
  spans := coalesce((select -sum(a) from unnest(span_amounts) as a), 0);
  logs := coalesce((select -sum(a) from unnest(log_amounts) as a), 0);
  traces := cardinality(ids) - (select count(*) from halyard.traces t where t.trace_id = any(ids)
    and t.first_time < before);
  return next;
end
$function$;
`;
