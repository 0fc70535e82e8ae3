import type { TelemetryStore } from '@halyard/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openExplainedStorage, type ExplainedStorage } from '../testing/explained-storage.ts';

/** Every query must use an index. There are 12 000 traces of 3 spans, and 12 000 log lines. */
describe('the plans of telemetry queries', () => {
  let planned: ExplainedStorage;
  let telemetry: TelemetryStore;
  beforeAll(async () => {
    planned = await openExplainedStorage(fill);
    if (planned.storage.telemetry === undefined) expect.fail('the storage has no telemetry store');
    ({ telemetry } = planned.storage);
  });
  afterAll(() => planned.close());

  const anyone = 'anyone';
  const page = { limit: 20, offset: 0 };
  const agent = { ...page, entityType: 'agent', entityId: 'agent-7' };
  const ada = { user: 'user-7' };
  const time = 1_750_000_000_000;
  const span = {
    traceId: 't-7',
    spanId: 't-7-1',
    parentSpanId: null,
    isEntry: true,
    name: 'again',
    kind: 0,
    startTime: time + 7_001,
    endTime: time + 8_000,
    attributes: {},
    status: { code: 1 },
    events: [],
    links: [],
    resource: {},
    instrumentationScope: { name: 'halyard' },
  } as const;
  const reads: readonly (readonly [name: string, indexes: readonly string[], work: () => Promise<unknown>])[] = [
    ['traces', ['traces_newest', 'spans_other_'], () => telemetry.listTraces(anyone, page)],
    ['traces of an entity', ['traces_of_entity'], () => telemetry.listTraces(anyone, agent)],
    [
      'traces of a type',
      ['traces_of_entity_type'],
      () => telemetry.listTraces(anyone, { ...page, entityType: 'tool' }),
    ],
    ['failed traces', ['traces_of_status'], () => telemetry.listTraces(anyone, { ...page, status: 'error' })],
    ['traces of a user', ['traces_of_users'], () => telemetry.listTraces(ada, page)],
    [
      'traces of a time',
      ['traces_newest'],
      () => telemetry.listTraces(anyone, { ...page, from: time, to: time + 9_000 }),
    ],
    [
      'traces with a text',
      ['traces_newest', 'spans_other_'],
      () => telemetry.listTraces(anyone, { ...page, text: 'lamp' }),
    ],
    [
      'traces with a part',
      ['traces_newest', 'spans_other_'],
      () => telemetry.listTraces(anyone, { ...page, agentId: 'agent-7', toolName: 'search', minCost: 1, sort: 'cost' }),
    ],
    ['a trace', ['traces_pkey', 'spans_other_pkey'], () => telemetry.findTrace(anyone, 't-77')],
    ['a trace of a user', ['traces_pkey', 'spans_other_pkey'], () => telemetry.findTrace(ada, 't-77')],
    ['a span', ['spans_other_span_id_idx'], () => telemetry.findSpan(anyone, 't-77-1')],
    ['runs', ['spans_other_entity_id_entity_type'], () => telemetry.listSpans(anyone, agent)],
    [
      'runs of a user',
      ['spans_other_user_id_entity_id'],
      () => telemetry.listSpans(anyone, { ...agent, userId: 'user-7' }),
    ],
    ['calls of a model', ['spans_other_model'], () => telemetry.listSpans(anyone, { ...page, model: 'model-7' })],
    ['entries', ['spans_other_time_position'], () => telemetry.listSpans(anyone, { ...page, isEntry: true })],
    ['failed spans', ['spans_other_time_position'], () => telemetry.listSpans(anyone, { ...page, status: 'error' })],
    ['logs', ['logs_other_time_position_idx'], () => telemetry.listLogs(anyone, page)],
    ['logs of a trace', ['logs_other_trace_id'], () => telemetry.listLogs(anyone, { ...page, traceId: 't-7' })],
    ['logs of a span', ['logs_other_span_id'], () => telemetry.listLogs(anyone, { ...page, spanId: 't-7-1' })],
    ['logs of an agent', ['logs_other_agent_id'], () => telemetry.listLogs(anyone, { ...page, agentId: 'agent-7' })],
    [
      'logs of an execution',
      ['logs_other_execution_id'],
      () => telemetry.listLogs(anyone, { ...page, executionId: 'e-7' }),
    ],
    ['logs of a user', ['logs_other_user_id'], () => telemetry.listLogs(ada, page)],
    ['logs with a text', ['logs_other_time_position_idx'], () => telemetry.listLogs(anyone, { ...page, text: 'lamp' })],
    [
      'logs of a severity',
      ['logs_other_severity_text'],
      () => telemetry.listLogs(anyone, { ...page, severityText: 'ERROR' }),
    ],
    [
      'severe logs',
      ['logs_other_time_position_severity_number_idx'],
      () => telemetry.listLogs(anyone, { ...page, minSeverity: 17 }),
    ],
    ['a write', ['traces_pkey', 'spans_other_pkey'], () => telemetry.write({ spans: [span], logs: [] })],
    ['the deletion of a user', ['traces_of_users', 'spans_other_pkey'], () => telemetry.deleteUser('user-9')],
    ['a purge', ['traces_oldest'], () => telemetry.purge(time - 86_400_000)],
  ];

  it.each(reads)('%s uses %s', async (_name, indexes, work) => {
    const plans = await planned.plansOf(work);
    for (const index of indexes) expect(plans).toContain(index);
    expect(plans.match(/Seq Scan on (?:spans|logs|traces)\w*/g) ?? []).toEqual([]);
  });

  it.each([
    ['traces', () => telemetry.listTraces(anyone, { limit: 0, offset: 0 })],
    ['logs', () => telemetry.listLogs(anyone, { limit: 0, offset: 0 })],
    ['everything', () => telemetry.counts()],
  ] as const)('counting %s reads only the counters', async (_name, work) => {
    const plans = await planned.plansOf(work);
    expect(plans).toContain('telemetry_counts');
    expect(plans).not.toContain('count(*)');
  });
});

const fill = `
select setval('halyard.telemetry_batches', 100000);
insert into halyard.spans (trace_id, span_id, time, position, end_time, is_entry, status, entity_type, entity_id, user_id, model, record)
select 't-' || n, 't-' || n || '-' || i, 1750000000000 + n * 1000 + i, n * 10 + i, 1750000000000 + n * 1000 + 10 + i, i = 1, case when n % 200 = 0 then 'error' else 'ok' end,
  case when i = 1 then 'agent' end, case when i = 1 then 'agent-' || n % 100 end, case when i = 1 then 'user-' || n % 500 end, case when i = 2 then 'model-' || n % 100 end, '{"attributes":{}}'
from generate_series(1, 12000) as n, generate_series(1, 3) as i;
insert into halyard.traces (trace_id, position, time, first_time, last_time, end_time, span_count, root_span_id, status, entity_type, entity_id, user_ids)
select s.trace_id, s.position, s.time, s.time, s.time + 2, s.end_time, 3, s.span_id, case when s.time::bigint / 1000 % 50 = 0 then 'error' else 'ok' end,
  case when s.time::bigint / 1000 % 40 = 0 then 'tool' else 'agent' end, s.entity_id, array[s.user_id]
from halyard.spans s where s.is_entry;
insert into halyard.logs (time, position, trace_id, span_id, severity_number, severity_text, agent_id, execution_id, user_id, record)
select 1750000000000 + n * 1000, n, 't-' || n, 't-' || n || '-1', case when n % 50 = 0 then 17 else 9 end, case when n % 50 = 0 then 'ERROR' else 'INFO' end, 'agent-' || n % 100, 'e-' || n,
  'user-' || n % 500, '{}' from generate_series(1, 12000) as n;
insert into halyard.telemetry_counts values ('traces', 0, 0, 12000), ('spans', 20254, 0, 36000), ('logs', 20254, 0, 12000);
`;
