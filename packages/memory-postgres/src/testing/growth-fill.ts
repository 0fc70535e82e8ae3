/** How much {@link growthFill} stores. */
export const stored = { days: 40, executions: 200_000, messages: 500_000, spans: 1_000_000 } as const;

const dayMs = 86_400_000;
const columns =
  'id, parent_id, root_key, root_id, path, workflow_id, workflow_name, definition, user_id, status, request_id, created_at, updated_at, ended_at, wants_runner_at, priority, quarantined_at, seq, journal_position, metadata_digests, state, input, context, metadata, output';

/**
 * SQL that fills the tables as a server does in {@link stored}.days days, up to `now`: executions
 * of 20 workflows and 1 000 users, one in fifty failed, with 5 events and 2 entries each, and 5 000
 * that are due; 20 000 conversations; 200 000 traces of 5 spans, and 200 000 lines of the log.
 */
export function growthFill(now: number): readonly string[] {
  const start = now - stored.days * dayMs;
  const { executions, messages, spans } = stored;
  const timeOf = (count: number): string => `${start} + (n::bigint * ${stored.days * dayMs} / ${count})`;
  const traces = spans / 5;
  return [
    `insert into halyard.executions (${columns})
select 'run-' || n, null, null, 'run-' || n, '', 'w-' || n % 20, 'W', 'w-' || n % 20, 'user-' || n % 1000, case when n % 50 = 0 then 'error' else 'completed' end, 'r', t, t + 500, t + 1000, null, 0,
  case when n % 1000 = 50 then t end, 5, 2, case when n % 10 = 0 then array['digest-' || n % 1000, 'even'] else '{}' end, '{}', to_json(repeat('x', 200))::text, '{}', '{}', to_json(repeat('y', 100))::text
from (select n, ${timeOf(executions)} as t from generate_series(1, ${executions}) as n) as run`,
    `insert into halyard.executions (${columns})
select 'child-' || key, id, key, id, 'sub', 'w-1', 'W', 'w-1', null, 'completed', null, created_at, created_at, created_at, null, 0, null, 1, 0, '{}', '{}', 'null', '{}', '{}', null
from halyard.executions where key % 20 = 0`,
    `insert into halyard.executions (${columns})
select 'due-' || n, null, null, 'due-' || n, '', 'w-' || n % 20, 'W', 'w-' || n % 20, 'user-' || n % 1000, 'running', 'r', ${now} - n, ${now} - n, null, ${now} - n, 0, null, 1, 0, '{}', '{}', 'null', '{}', '{}', null
from generate_series(1, 5000) as n`,
    `insert into halyard.execution_events
select e.key, n, '{"type":"step-complete","from":"a","timestamp":"","output":"' || repeat('z', 100) || '"}' from halyard.executions e, generate_series(1, 5) as n where n <= e.seq`,
    `insert into halyard.execution_journal
select e.key, n, 'a-' || n, '{"type":"andThen","status":"success","attempts":1,"startedAt":1,"endedAt":2,"output":1}' from halyard.executions e, generate_series(1, 2) as n where n <= e.journal_position`,
    `insert into halyard.conversations (id, resource_id, user_id, title, metadata, created_at, updated_at, created_by)
select 'c-' || n, 'r-' || n % 5, 'user-' || n % 1000, 'About ' || md5(n::text), '{}', ${timeOf(messages / 25)}, ${timeOf(messages / 25)}, '' from generate_series(1, ${messages / 25}) as n`,
    `insert into halyard.messages (conversation_key, created_at, id, role, parts)
select c.key, c.created_at + n, 'm-' || n, case when n % 2 = 1 then 'user' else 'assistant' end, '[{"type":"text","text":"' || repeat('m', 100) || '"}]' from halyard.conversations c, generate_series(1, 25) as n`,
    `select halyard.open_telemetry_days(parent, array(select ${start}::float8 + n * ${dayMs}.0 from generate_series(0, ${stored.days}) as n)) from unnest(array['spans', 'logs']) as parent`,
    `select setval('halyard.telemetry_batches', 100000)`,
    `insert into halyard.spans (trace_id, span_id, time, position, end_time, is_entry, status, entity_type, entity_id, user_id, owner_id, latency_bucket, model, input_tokens, record)
select 't-' || n, 't-' || n || '-' || i, ${timeOf(traces)} + i, n * 10 + i, ${timeOf(traces)} + 10 + i, i = 1, 'ok', case when i = 1 then 'agent' end, case when i = 1 then 'agent-' || n % 10 end,
  case when i = 1 then 'user-' || n % 1000 end, 'user-' || n % 1000, 5, case when i = 2 then 'model-1' end, case when i = 2 then 100 end, ${spanRecord(timeOf(traces))}
from generate_series(1, ${traces}) as n, generate_series(1, 5) as i`,
    `insert into halyard.traces (trace_id, position, time, first_time, last_time, end_time, span_count, root_span_id, status, entity_type, entity_id, user_ids)
select 't-' || n, n * 10 + 1, t + 1, t + 1, t + 5, t + 15, 5, 't-' || n || '-1', case when n % 50 = 0 then 'error' else 'ok' end, 'agent', 'agent-' || n % 10, array['user-' || n % 1000]
from (select n, ${timeOf(traces)} as t from generate_series(1, ${traces}) as n) as trace`,
    `insert into halyard.logs (time, position, trace_id, span_id, severity_number, severity_text, agent_id, workflow_id, execution_id, conversation_id, user_id, record)
select ${timeOf(traces)}, n, 't-' || n, 't-' || n || '-1', case when n % 50 = 0 then 17 else 9 end, case when n % 50 = 0 then 'ERROR' else 'INFO' end, 'agent-' || n % 10, 'w-' || n % 20, 'run-' || n, 'c-' || n % 20000, 'user-' || n % 1000,
  ${logRecord(timeOf(traces))} from generate_series(1, ${traces}) as n`,
    `insert into halyard.telemetry_counts
select kind, (floor(${start} / ${dayMs}.0) + n)::integer, 0, amount from generate_series(0, ${stored.days - 1}) as n, (values ('spans', ${spans / stored.days}), ('logs', ${traces / stored.days})) as c (kind, amount)
union all select 'traces', 0, 0, ${traces}`,
    `insert into halyard.telemetry_metrics
select 3600000, kind, (floor(${start} / 3600000.0) + hour) * 3600000.0, case when kind = 'request' then '' else kind || '-' || one end, 20, 0, 0, 0, 100, 100, 0, 1, '[0:1]={3,4}'
from generate_series(0, ${stored.days * 24}) as hour, (values ('request', 1), ('agent', 10), ('model', 4), ('user', 20)) as k (kind, amount), generate_series(1, amount) as one`,
    `insert into halyard.published_events (id, user_id, request_id, channel, payload, published_at, deliver_at, is_pending)
select 'event-' || n, 'user-' || n % 1000, 'r-' || n, 'paid-' || n % 1000, 'null', ${timeOf(executions)}, 0, n % 10000 = 0 from generate_series(1, ${executions}) as n`,
  ];
}

/** The JSON of span `i` of trace `n`. */
function spanRecord(time: string): string {
  return `'{"traceId":"t-' || n || '","spanId":"t-' || n || '-' || i || '","parentSpanId":' || case when i = 1 then 'null' else '"t-' || n || '-1"' end || ',"isEntry":' || (i = 1) || ',"name":"run","kind":0,"startTime":'
  || ${time} + i || ',"endTime":' || ${time} + 10 + i || ',"attributes":{"entity.type":"agent","entity.id":"agent-' || n % 10 || '","user.id":"user-' || n % 1000 || '","input":"' || repeat('s', 300)
  || '"},"status":{"code":1},"events":[],"links":[],"resource":{},"instrumentationScope":{"name":"halyard"}}'`;
}

/** The JSON of line `n` of the log. */
function logRecord(time: string): string {
  return `'{"timestamp":' || ${time} || ',"traceId":"t-' || n || '","spanId":"t-' || n || '-1","severityNumber":9,"severityText":"INFO","body":"the run has ended","attributes":{}}'`;
}
