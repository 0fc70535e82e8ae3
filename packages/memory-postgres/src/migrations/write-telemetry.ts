import { dayOf, summaries } from './telemetry-sql.ts';

/** Names the lock that writers share, and who drops tables of days has for himself. */
export const dropLock = 0x48_41_4e;

/** As many as a batch has room for in the numbers of positions. */
const room = 1_000_000;

/**
 * Writes a batch. Spans are told once each, by the ids of their traces. First the rows of new traces are made, complete, and those of the others are held, in the
 * order of their ids: who makes rows holds none yet, so that nobody waits for each other. A row that was deleted meanwhile is made again. Then the spans that are
 * there are looked up, between the first and the last beginning in their traces, which leaves out the tables of other days.
 */
export function writeTelemetry(schema: string): string {
  return `
create function ${schema}.write_telemetry(
  trace_ids text[], span_ids text[], times double precision[], end_times double precision[], entries boolean[], statuses text[],
  entity_types text[], entity_ids text[], user_ids text[], records text[],
  log_times double precision[], log_trace_ids text[], log_span_ids text[], severity_numbers double precision[], severity_texts text[],
  agent_ids text[], workflow_ids text[], execution_ids text[], conversation_ids text[], log_user_ids text[], log_records text[]
) returns void
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $function$
declare
  base constant bigint := nextval('${schema}.telemetry_batches') * ${room};
  wanted constant text[] := array(select distinct t.id from unnest(trace_ids) as t (id) order by 1);
  made bigint := 0;
  made_now bigint;
  held integer;
  low double precision;
  high double precision;
  changed text[];
  span_days integer[];
  span_amounts bigint[];
  log_days integer[];
  log_amounts bigint[];
begin
  perform pg_advisory_xact_lock_shared(${dropLock}, hashtext('${schema}'));
  perform ${schema}.open_telemetry_days('spans', times), ${schema}.open_telemetry_days('logs', log_times);

  while cardinality(wanted) > 0 loop
    insert into ${schema}.traces
        (trace_id, position, time, first_time, last_time, end_time, span_count, root, latest, status, entity_type, entity_id, user_ids)
      select k.trace_id, base, (k.root).time, k.first_time, k.last_time, k.end_time, k.spans, k.root, k.latest, coalesce((k.latest).status, 'running'),
        (k.root).entity_type, (k.root).entity_id, k.user_ids
      from (
        select i.trace_id, count(*) as spans, min(i.time) as first_time, max(i.time) as last_time, max(i.end_time) as end_time,
          ${summaries(schema, 'i')}
        from ${incoming} group by i.trace_id) k
      order by k.trace_id on conflict (trace_id) do nothing;
    get diagnostics made_now = row_count;
    made := made + made_now;
    select count(*), min(h.first_time), max(h.last_time) into held, low, high from (
      select t.first_time, t.last_time from ${schema}.traces t where t.trace_id = any(wanted) order by t.trace_id for update) h;
    exit when held = cardinality(wanted);
  end loop;

  with effective as materialized (
    select i.trace_id, i.span_id, i.time, i.end_time, i.is_entry, i.status, i.entity_type, i.entity_id, i.user_id, i.record,
      t.is_known, o.time as old_time, o.position is null as is_new, coalesce(o.position, i.position) as position,
      o.position is not null and not (o.time = i.time and o.is_entry = i.is_entry and o.user_id is not distinct from i.user_id
        and o.entity_id is not distinct from i.entity_id and o.entity_type is not distinct from i.entity_type
        and (o.end_time is null or o.end_time <= i.end_time)) as is_different
    from ${incoming}
    cross join lateral (select t.position <> base as is_known from ${schema}.traces t where t.trace_id = i.trace_id limit 1) t
    left join lateral (
      select s.time, s.position, s.end_time, s.is_entry, s.user_id, s.entity_id, s.entity_type from ${schema}.spans s
      where t.is_known and s.trace_id = i.trace_id and s.span_id = i.span_id and s.time between low and high limit 1) o on true
    where o.position is null or o.end_time is null or i.end_time is not null
  ), updated as (
    update ${schema}.spans s set time = e.time, end_time = e.end_time, is_entry = e.is_entry, status = e.status, entity_type = e.entity_type,
      entity_id = e.entity_id, user_id = e.user_id, record = e.record
    from effective e where not e.is_new and s.trace_id = e.trace_id and s.span_id = e.span_id and s.time = e.old_time
  ), inserted as (
    insert into ${schema}.spans (trace_id, span_id, time, position, end_time, is_entry, status, entity_type, entity_id, user_id, record)
      select e.trace_id, e.span_id, e.time, e.position, e.end_time, e.is_entry, e.status, e.entity_type, e.entity_id, e.user_id, e.record
      from effective e where e.is_new
  ), joined as (
    update ${schema}.traces t set first_time = least(t.first_time, k.first_time), last_time = greatest(t.last_time, k.last_time),
      end_time = greatest(t.end_time, k.end_time), span_count = t.span_count + k.added,
      root = case when ${isEarlier} then k.root else t.root end,
      time = case when ${isEarlier} then (k.root).time else t.time end,
      entity_type = case when ${isEarlier} then (k.root).entity_type else t.entity_type end,
      entity_id = case when ${isEarlier} then (k.root).entity_id else t.entity_id end,
      latest = case when ${isLater} then k.latest else t.latest end,
      status = case when ${isLater} then (k.latest).status else t.status end,
      user_ids = case when k.user_ids <@ t.user_ids then t.user_ids else array(select distinct u from unnest(t.user_ids || k.user_ids) as u) end
    from (
      select e.trace_id, count(*) filter (where e.is_new) as added, min(e.time) as first_time, max(e.time) as last_time, max(e.end_time) as end_time,
        ${summaries(schema, 'e')}
      from effective e where e.is_known group by e.trace_id) k
    where t.trace_id = k.trace_id
  ), by_day as (
    select d.day, sum(d.amount)::bigint as amount from (
      select ${dayOf('e.time')} as day, 1 as amount from effective e where e.is_new or e.is_different
      union all select ${dayOf('e.old_time')}, -1 from effective e where e.is_different) d
    group by d.day
  )
  select array(select distinct e.trace_id from effective e where e.is_different),
      array(select d.day from by_day d order by d.day), array(select d.amount from by_day d order by d.day)
    into changed, span_days, span_amounts;
  if changed <> '{}' then
    perform ${schema}.recount_traces(changed);
  end if;

  insert into ${schema}.logs (time, position, trace_id, span_id, severity_number, severity_text, agent_id, workflow_id, execution_id, conversation_id,
      user_id, record)
    select l.time, base + l.n, l.trace_id, l.span_id, l.severity_number, l.severity_text, l.agent_id, l.workflow_id, l.execution_id, l.conversation_id,
      l.user_id, l.record
    from unnest(log_times, log_trace_ids, log_span_ids, severity_numbers, severity_texts, agent_ids, workflow_ids, execution_ids, conversation_ids,
      log_user_ids, log_records) with ordinality as l (time, trace_id, span_id, severity_number, severity_text, agent_id, workflow_id, execution_id,
      conversation_id, user_id, record, n);
  select array_agg(d.day), array_agg(d.amount) into log_days, log_amounts from (
    select ${dayOf('l.time')} as day, count(*) as amount from unnest(log_times) as l (time) group by 1) d;

  perform ${schema}.add_telemetry_count('logs', log_days, log_amounts);
  perform ${schema}.add_telemetry_count('spans', span_days, span_amounts);
  perform ${schema}.add_telemetry_count('traces', array[0], array[made]);
end
$function$;`;
}

/** The spans of the batch, in their order. */
const incoming = `(
      select u.*, base + u.n as position
      from unnest(trace_ids, span_ids, times, end_times, entries, statuses, entity_types, entity_ids, user_ids, records) with ordinality
        as u (trace_id, span_id, time, end_time, is_entry, status, entity_type, entity_id, user_id, record, n)) i`;

/** Whether the batch has a span that is rather the root of a trace. */
const isEarlier = `(not (k.root).is_entry, (k.root).time, (k.root).position) < (not (t.root).is_entry, (t.root).time, (t.root).position)`;

/** Whether it has an entry that tells how the trace stands. */
const isLater = `(k.latest).span_id is not null
        and ((t.latest).span_id is null or ((k.latest).time, (k.latest).position) >= ((t.latest).time, (t.latest).position))`;
