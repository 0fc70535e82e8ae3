import type { Migration } from './migration.ts';
import { dayOf, dropLock, positionsPerBatch } from './write-telemetry.ts';

/**
 * A write changes the row of a trace by what it adds. It read all spans of the trace before: a client that sends the same `traceparent` with each request made the writes of all others slower.
 *
 * `root_is_entry` and `root_position` are those of the root, `latest_time` and `latest_position` those of the latest entry: with the start time, they decide whether a new span takes its place. In traces of
 * the version before they are null: such a trace is summarized from all its spans with the next write.
 *
 * A span that is replaced keeps its position, so that a root stays the root when it has ended.
 */
export const traceSummaries: Migration = {
  number: 26,
  name: 'trace-summaries',
  sql: (schema) => `
alter table ${schema}.traces
  add column root_is_entry boolean,
  add column root_position bigint,
  add column latest_time double precision,
  add column latest_position bigint;

${summarizeTraces(schema)}
${addToTraces(schema)}
${writeSummarizedTelemetry(schema)}`,
};

/**
 * Computes the rows of traces from their spans between two times, and deletes the traces that have none. The caller has locked the rows.
 *
 * @returns SQL of a function that returns how many traces were deleted.
 */
function summarizeTraces(schema: string): string {
  return `
create or replace function ${schema}.summarize_traces(ids text[], low double precision, high double precision) returns integer
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $function$
declare
  deleted integer;
begin
  update ${schema}.traces t set time = root.time, first_time = a.first_time, last_time = a.last_time, end_time = a.end_time, span_count = a.span_count,
    root_span_id = root.span_id, status = coalesce(latest.status, 'running'), entity_type = root.entity_type, entity_id = root.entity_id, user_ids = a.user_ids,
    root_is_entry = root.is_entry, root_position = root.position, latest_time = latest.time, latest_position = latest.position
    from unnest(ids) as i (id)
    cross join lateral (
      select count(*) as span_count, min(s.time) as first_time, max(s.time) as last_time, max(s.end_time) as end_time,
        coalesce(array_agg(distinct s.user_id) filter (where s.is_entry and s.user_id is not null), '{}') as user_ids
      from ${schema}.spans s where s.trace_id = i.id and s.time between low and high) a
    cross join lateral (
      select s.span_id, s.time, s.position, s.is_entry, s.entity_type, s.entity_id from ${schema}.spans s where s.trace_id = i.id and s.time between low and high
      order by s.is_entry desc, s.time, s.position limit 1) root
    left join lateral (
      select s.status, s.time, s.position from ${schema}.spans s where s.trace_id = i.id and s.is_entry and s.time between low and high
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

/**
 * Changes the rows of traces by spans that were written, and by those that they have replaced. A replaced span must have the start time of its new record, end no later, and name no
 * other user. The rows exist: `on conflict` searches each by its key, with any plan.
 */
function addToTraces(schema: string): string {
  const isRoot = `coalesce((not excluded.root_is_entry, excluded.time, excluded.root_position) <= (not t.root_is_entry, t.time, t.root_position), true)`;
  const isLatest = `excluded.latest_time is not null and coalesce((excluded.latest_time, excluded.latest_position) >= (t.latest_time, t.latest_position), true)`;
  const newIf = (condition: string, column: string): string =>
    `${column} = case when ${condition} then excluded.${column} else t.${column} end`;
  return `
create function ${schema}.add_to_traces(written ${schema}.spans[], replaced ${schema}.spans[]) returns void
language plpgsql set enable_hashjoin = off set enable_mergejoin = off as $function$
begin
  insert into ${schema}.traces as t (trace_id, position, span_count, first_time, last_time, end_time, user_ids,
      time, root_is_entry, root_position, root_span_id, entity_type, entity_id, status, latest_time, latest_position)
    select c.trace_id, 0, c.amount, c.first_time, c.last_time, c.end_time, c.user_ids,
      (c.root).time, (c.root).is_entry, (c.root).position, (c.root).span_id, (c.root).entity_type, (c.root).entity_id,
      coalesce((c.latest).status, 'running'), (c.latest).time, (c.latest).position
    from (
      select s.trace_id, sum(s.sign)::integer as amount, min(s.time) as first_time, max(s.time) as last_time, max(s.end_time) as end_time,
        coalesce(array_agg(distinct s.user_id) filter (where s.is_entry and s.user_id is not null), '{}') as user_ids,
        (array_agg(s.span order by s.is_entry desc, s.time, s.position) filter (where s.sign > 0))[1] as root,
        (array_agg(s.span order by s.time desc, s.position desc) filter (where s.sign > 0 and s.is_entry))[1] as latest
      from (select w.*, w as span, 1 as sign from unnest(written) w union all select r.*, r, -1 from unnest(replaced) r) s
      group by s.trace_id) c
    on conflict (trace_id) do update set
      span_count = t.span_count + excluded.span_count,
      first_time = least(t.first_time, excluded.first_time),
      last_time = greatest(t.last_time, excluded.last_time),
      end_time = greatest(t.end_time, excluded.end_time),
      user_ids = case when t.user_ids @> excluded.user_ids then t.user_ids
        else array(select distinct u.id from unnest(t.user_ids || excluded.user_ids) as u (id) order by 1) end,
      ${['time', 'root_is_entry', 'root_position', 'root_span_id', 'entity_type', 'entity_id'].map((column) => newIf(isRoot, column)).join(',\n      ')},
      ${['status', 'latest_time', 'latest_position'].map((column) => newIf(isLatest, column)).join(',\n      ')};
end
$function$;`;
}

/** As in the migrations before, except that it adds to the rows of traces, and that a span that is replaced keeps its position. */
export function writeSummarizedTelemetry(schema: string): string {
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
  -- The positions of the spans that are stored already, by the position of the new record in the batch. Null: the new record is older.
  stored jsonb;
  replaced ${schema}.spans[];
  written ${schema}.spans[];
  added ${schema}.spans[];
  removed ${schema}.spans[];
  old record;
  -- The traces that must be summarized from all their spans.
  outdated text[];
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
    select count(*), min(t.first_time), max(t.last_time), array_agg(t.trace_id) filter (where t.span_count > 0 and t.root_position is null)
      into locked, low, high, outdated
      from (select * from ${schema}.traces where trace_id = any(ids) order by trace_id for update) t;
    exit when locked = cardinality(ids);
  end loop;

  -- The subquery with a limit searches the index for each span, with any plan.
  if created < cardinality(ids) then
    select array_agg(f.s) filter (where f.is_replaced),
        jsonb_object_agg(i.position, case when f.is_replaced then (f.s).position end),
        outdated || array_agg(distinct i.trace_id) filter (where f.is_replaced and not f.is_similar)
      into replaced, stored, outdated
      from unnest(incoming) i
      cross join lateral (
        select s, s.end_time is null or i.end_time is not null as is_replaced,
          s.time = i.time and s.is_entry = i.is_entry and (s.end_time is null or s.end_time <= i.end_time) and (s.user_id is null or s.user_id is not distinct from i.user_id)
            as is_similar
        from ${schema}.spans s where s.trace_id = i.trace_id and s.span_id = i.span_id and s.time between low and high limit 1) f;
    for old in select r.trace_id, r.span_id, r.time from unnest(replaced) r loop
      delete from ${schema}.spans s where s.trace_id = old.trace_id and s.span_id = old.span_id and s.time = old.time;
    end loop;
  end if;
  with inserted as (
    insert into ${schema}.spans as s (trace_id, span_id, time, position, end_time, is_entry, status, entity_type, entity_id, user_id, record,
        latency_bucket, owner_id, workflow_id, agent_id, model, input_tokens, output_tokens, cached_tokens, cost)
      select i.trace_id, i.span_id, i.time, coalesce((stored->>i.position::text)::bigint, base + i.position), i.end_time, i.is_entry, i.status, i.entity_type, i.entity_id,
        i.user_id, i.record, i.latency_bucket, coalesce(i.owner_id, known.owner_id), coalesce(i.workflow_id, known.workflow_id), i.agent_id, i.model, i.input_tokens,
        i.output_tokens, i.cached_tokens, i.cost
      from unnest(incoming) i
      left join lateral (
        select t.user_ids[1] as owner_id, case when t.entity_type = 'workflow' then t.entity_id end as workflow_id from ${schema}.traces t
        where t.trace_id = i.trace_id and i.latency_bucket is not null and created < cardinality(ids) limit 1) known on true
      where coalesce(stored->i.position::text <> 'null', true)
      returning s
  )
  select array_agg(n.s) into written from inserted n;
  select array_agg(d.day), array_agg(d.amount) into days, amounts from (
    select ${dayOf('c.time')} as day, sum(c.sign) as amount
    from (select w.time, 1 as sign from unnest(written) w union all select r.time, -1 from unnest(replaced) r) c group by 1) d;
  perform ${schema}.add_telemetry_count('spans', days, amounts);
  perform ${schema}.add_telemetry_count('traces', array[0], array[created]);
  perform ${schema}.add_to_traces(written, replaced);
  if cardinality(outdated) > 0 then
    perform ${schema}.summarize_traces(outdated, least(low, (select min(i.time) from unnest(incoming) i)), greatest(high, (select max(i.time) from unnest(incoming) i)));
  end if;

  insert into ${schema}.logs (time, position, trace_id, span_id, severity_number, severity_text, agent_id, workflow_id, execution_id, conversation_id,
      user_id, record)
    select l.time, base + l.position, l.trace_id, l.span_id, l.severity_number, l.severity_text, l.agent_id, l.workflow_id, l.execution_id, l.conversation_id,
      l.user_id, l.record
    from unnest(lines) l;
  select array_agg(d.day), array_agg(d.amount) into days, amounts from (
    select ${dayOf('l.time')} as day, count(*) as amount from unnest(lines) l group by 1) d;
  perform ${schema}.add_telemetry_count('logs', days, amounts);
  added := array(select w from unnest(written) w where w.latency_bucket is not null);
  removed := array(select r from unnest(replaced) r where r.latency_bucket is not null);
  if cardinality(added || removed) > 0 then
    perform ${schema}.count_spans(added, removed);
  end if;
end
$function$;`;
}
