/** The key of the advisory lock that writers share, and that is taken exclusively to drop the table of a day. */
export const dropLock = 0x48_41_4e;

/** More than a batch has spans or logs: the positions of batches do not overlap. */
export const positionsPerBatch = 1_000_000;

/** The day of a time, counted from the epoch. A time beyond the calendar belongs to its last day. */
export function dayOf(time: string): string {
  return `floor(greatest(least(${time}, 8.64e15), -8.64e15) / 86400000)::integer`;
}

/**
 * Writes a batch: rows of `spans` and `logs` as JSON, whose `position` counts from 1. The batch has each span once.
 *
 * The rows of its traces are inserted and locked first, in the order of their ids, so that writers do not deadlock. Spans that are replaced are deleted. They are searched
 * between the first and the last start time of their traces, which excludes the tables of other days. Then the spans are inserted and the traces summarized again.
 */
export function writeTelemetry(schema: string): string {
  return `
create function ${schema}.write_telemetry(span_rows json, log_rows json) returns void
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
        returning s.time
    ), by_day as (
      select ${dayOf('r.time')} as day, -count(*) as amount from replaced r group by 1
    )
    select array_agg(d.day), array_agg(d.amount) into days, amounts from by_day d;
    perform ${schema}.add_telemetry_count('spans', days, amounts);
  end if;
  with inserted as (
    insert into ${schema}.spans (trace_id, span_id, time, position, end_time, is_entry, status, entity_type, entity_id, user_id, record)
      select i.trace_id, i.span_id, i.time, base + i.position, i.end_time, i.is_entry, i.status, i.entity_type, i.entity_id, i.user_id, i.record
      from unnest(incoming) i
      where not exists (select from ${schema}.spans s where s.trace_id = i.trace_id and s.span_id = i.span_id and s.time between low and high)
      returning time
  ), by_day as (
    select ${dayOf('n.time')} as day, count(*) as amount from inserted n group by 1
  )
  select array_agg(d.day), array_agg(d.amount) into days, amounts from by_day d;
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
end
$function$;`;
}

/**
 * Computes the rows of traces from their spans between two times, and deletes the traces that have none. The caller has locked the rows.
 *
 * @returns SQL of a function that returns how many traces were deleted.
 */
export function summarizeTraces(schema: string): string {
  return `
create function ${schema}.summarize_traces(ids text[], low double precision, high double precision) returns integer
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $function$
declare
  deleted integer;
begin
  update ${schema}.traces t set time = root.time, first_time = a.first_time, last_time = a.last_time, end_time = a.end_time, span_count = a.span_count,
    root_span_id = root.span_id, status = coalesce(latest.status, 'running'), entity_type = root.entity_type, entity_id = root.entity_id, user_ids = a.user_ids
    from unnest(ids) as i (id)
    cross join lateral (
      select count(*) as span_count, min(s.time) as first_time, max(s.time) as last_time, max(s.end_time) as end_time,
        coalesce(array_agg(distinct s.user_id) filter (where s.is_entry and s.user_id is not null), '{}') as user_ids
      from ${schema}.spans s where s.trace_id = i.id and s.time between low and high) a
    cross join lateral (
      select s.span_id, s.time, s.entity_type, s.entity_id from ${schema}.spans s where s.trace_id = i.id and s.time between low and high
      order by s.is_entry desc, s.time, s.position limit 1) root
    left join lateral (
      select s.status from ${schema}.spans s where s.trace_id = i.id and s.is_entry and s.time between low and high
      order by s.time desc, s.position desc limit 1) latest on true
    where t.trace_id = i.id;
  delete from ${schema}.traces t where t.trace_id = any(ids) and not exists (
    select from ${schema}.spans s where s.trace_id = t.trace_id and s.time between low and high);
  get diagnostics deleted = row_count;
  perform ${schema}.add_telemetry_count('traces', array[0], array[-deleted::bigint]);
  return deleted;
end
$function$;`;
}
