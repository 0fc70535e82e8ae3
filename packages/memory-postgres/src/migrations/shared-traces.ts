import type { Migration } from './migration.ts';
import { dayOf } from './write-telemetry.ts';

/**
 * Deleting a user keeps the spans of others. A caller may send the id of somebody else's trace; to delete the caller's data deleted that whole trace before.
 *
 * `delete_user_telemetry` leaves out traces with entries of several users. `delete_spans_of_user` deletes given spans of such a trace.
 */
export const sharedTraces: Migration = {
  number: 31,
  name: 'shared-traces',
  sql: (schema) => `
${deleteTraces(schema)}
${deleteSpans(schema)}`,
};

/** As in the migrations before, except that a trace with entries of several users is left out. */
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
    where t.user_ids <> '{}' and t.user_ids @> array[of_user] and cardinality(t.user_ids) = 1 order by t.trace_id limit at_most for update) l;
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

/**
 * Deletes spans of a trace, with what was counted of them, and summarizes the trace again. Other spans that were counted for the user, because a model call counts for a user of its trace, are counted for
 * one of the others. Returns how many were deleted.
 */
function deleteSpans(schema: string): string {
  return `
create function ${schema}.delete_spans_of_user(of_user text, of_trace text, ids text[]) returns integer
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $function$
declare
  low double precision;
  high double precision;
  removed ${schema}.spans[];
  before ${schema}.spans[];
  after ${schema}.spans[];
  days integer[];
  amounts bigint[];
begin
  select t.first_time, t.last_time into low, high from ${schema}.traces t where t.trace_id = of_trace for update;
  with gone as (
    delete from ${schema}.spans s where s.trace_id = of_trace and s.span_id = any(ids) and s.time between low and high returning s
  )
  select array_agg(g.s) into removed from gone g;
  select array_agg(d.day), array_agg(d.amount) into days, amounts from (
    select ${dayOf('r.time')} as day, -count(*) as amount from unnest(removed) r group by 1) d;
  perform ${schema}.add_telemetry_count('spans', days, amounts);
  perform ${schema}.summarize_traces(array[of_trace], low, high);

  select array_agg(s) into before from ${schema}.spans s where s.trace_id = of_trace and s.time between low and high and s.owner_id = of_user;
  with changed as (
    update ${schema}.spans s set owner_id = (select t.user_ids[1] from ${schema}.traces t where t.trace_id = of_trace)
      where s.trace_id = of_trace and s.time between low and high and s.owner_id = of_user returning s
  )
  select array_agg(c.s) into after from changed c;
  perform ${schema}.count_spans(coalesce(after, '{}'), coalesce(removed, '{}') || coalesce(before, '{}'));
  return coalesce(cardinality(removed), 0);
end
$function$;`;
}
