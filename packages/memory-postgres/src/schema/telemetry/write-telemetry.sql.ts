import { toDay } from '../fragments.ts';
import { dropLock } from './telemetry.sql.ts';

/** More than a batch has spans or logs: the positions of batches do not overlap. */
const positionsPerBatch = 1_000_000;

/** Writing spans and logs. */
export const writeTelemetry: string = `
-- Writes a batch: rows of spans and logs as JSON, whose position counts from 1. The batch has each
-- span once. The rows of its traces are inserted and locked first, in the order of their ids, so
-- that writers do not deadlock. Spans that are replaced are searched between the first and the last
-- start time of their traces, which excludes the tables of other days; they keep their position, so
-- that a root stays the root when it has ended. A write changes the row of a trace by what it adds.
-- Metrics are changed last: others wait for these rows.
create function halyard.write_telemetry(span_rows json, log_rows json) returns void
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $function$
declare
  base constant bigint := nextval('halyard.telemetry_batches') * ${positionsPerBatch};
  incoming constant halyard.spans[] := array(select r from json_populate_recordset(null::halyard.spans, span_rows) r);
  lines constant halyard.logs[] := array(select r from json_populate_recordset(null::halyard.logs, log_rows) r);
  ids constant text[] := array(select distinct i.trace_id from unnest(incoming) i order by 1);
  low double precision;
  high double precision;
  locked integer;
  created bigint := 0;
  created_now bigint;
  days integer[];
  amounts bigint[];
  -- The positions of the spans that are stored already, by the position of the new record in the
  -- batch. Null: the new record is older.
  stored jsonb;
  replaced halyard.spans[];
  written halyard.spans[];
  added halyard.spans[];
  removed halyard.spans[];
  old record;
  -- The traces that must be summarized from all their spans.
  outdated text[];
begin
  perform pg_advisory_xact_lock_shared(${dropLock}, hashtext('halyard'));
  perform halyard.open_telemetry_days('spans', array(select i.time from unnest(incoming) i));
  perform halyard.open_telemetry_days('logs', array(select l.time from unnest(lines) l));

  -- A trace that is deleted between the two statements is inserted again.
  while cardinality(ids) > 0 loop
    insert into halyard.traces (trace_id, position, time, first_time, last_time)
      select i.trace_id, base, min(i.time), min(i.time), max(i.time) from unnest(incoming) i group by i.trace_id
        order by i.trace_id
      on conflict (trace_id) do nothing;
    get diagnostics created_now = row_count;
    created := created + created_now;
    select count(*), min(t.first_time), max(t.last_time) into locked, low, high
      from (select * from halyard.traces where trace_id = any(ids) order by trace_id for update) t;
    exit when locked = cardinality(ids);
  end loop;

  -- The subquery with a limit searches the index for each span, with any plan.
  if created < cardinality(ids) then
    select array_agg(f.s) filter (where f.is_replaced),
        jsonb_object_agg(i.position, case when f.is_replaced then (f.s).position end),
        array_agg(distinct i.trace_id) filter (where f.is_replaced and not f.is_similar)
      into replaced, stored, outdated
      from unnest(incoming) i
      cross join lateral (
        select s, s.end_time is null or i.end_time is not null as is_replaced,
          s.time = i.time and s.is_entry = i.is_entry and (s.end_time is null or s.end_time <= i.end_time)
            and (s.user_id is null or s.user_id is not distinct from i.user_id) as is_similar
        from halyard.spans s where s.trace_id = i.trace_id and s.span_id = i.span_id and s.time between low and high
        limit 1) f;
    for old in select r.trace_id, r.span_id, r.time from unnest(replaced) r loop
      delete from halyard.spans s where s.trace_id = old.trace_id and s.span_id = old.span_id and s.time = old.time;
    end loop;
  end if;
  with inserted as (
    insert into halyard.spans as s (
        trace_id, span_id, time, position, end_time, is_entry, status, entity_type, entity_id, user_id, record,
        latency_bucket, owner_id, workflow_id, agent_id, model, input_tokens, output_tokens, cached_tokens, cost)
      select i.trace_id, i.span_id, i.time, coalesce((stored->>i.position::text)::bigint, base + i.position),
        i.end_time, i.is_entry, i.status, i.entity_type, i.entity_id, i.user_id, i.record,
        i.latency_bucket, coalesce(i.owner_id, known.owner_id), i.workflow_id, i.agent_id, i.model,
        i.input_tokens, i.output_tokens, i.cached_tokens, i.cost
      from unnest(incoming) i
      left join lateral (
        select t.user_ids[1] as owner_id from halyard.traces t
        where t.trace_id = i.trace_id and i.latency_bucket is not null and created < cardinality(ids)
          limit 1) known on true
      where coalesce(stored->i.position::text <> 'null', true)
      returning s
  )
  select array_agg(n.s) into written from inserted n;
  select array_agg(d.day), array_agg(d.amount) into days, amounts from (
    select ${toDay('c.time')} as day, sum(c.sign) as amount
    from (
      select w.time, 1 as sign from unnest(written) w union all select r.time, -1 from unnest(replaced) r
    ) c group by 1) d;
  perform halyard.add_telemetry_count('spans', days, amounts);
  perform halyard.add_telemetry_count('traces', array[0], array[created]);
  perform halyard.add_to_traces(written, replaced);
  if cardinality(outdated) > 0 then
    perform halyard.summarize_traces(outdated, least(low, (select min(i.time) from unnest(incoming) i)),
      greatest(high, (select max(i.time) from unnest(incoming) i)));
  end if;

  insert into halyard.logs (
      time, position, trace_id, span_id, severity_number, severity_text, agent_id, workflow_id, execution_id,
      conversation_id, user_id, record)
    select l.time, base + l.position, l.trace_id, l.span_id, l.severity_number, l.severity_text, l.agent_id,
      l.workflow_id, l.execution_id, l.conversation_id, l.user_id, l.record
    from unnest(lines) l;
  select array_agg(d.day), array_agg(d.amount) into days, amounts from (
    select ${toDay('l.time')} as day, count(*) as amount from unnest(lines) l group by 1) d;
  perform halyard.add_telemetry_count('logs', days, amounts);
  added := array(select w from unnest(written) w where w.latency_bucket is not null);
  removed := array(select r from unnest(replaced) r where r.latency_bucket is not null);
  if cardinality(added || removed) > 0 then
    perform halyard.count_spans(added, removed);
  end if;
end
$function$;
`;
