import type { SpanRecord } from '@halyard/contracts';
import { createInMemoryTelemetryStore } from '@halyard/memory-in-memory';
import { afterEach, expect, it } from 'vitest';
import { serve, type Served } from '../../../testing/serve.ts';
import type { Metrics } from './metrics-schemas.ts';

const minute = 60_000;
let server: Served | undefined;
afterEach(() => server?.close());

interface Reply {
  readonly status: number;
  readonly success: boolean;
  readonly error: string;
  readonly data: Metrics;
}

async function start(options: Parameters<typeof serve>[1] = {}): Promise<(query: string) => Promise<Reply>> {
  server = await serve([], options);
  const { origin } = server;
  return async (query) => {
    const response = await fetch(`${origin}/observability/metrics?${query}`);
    return { status: response.status, ...((await response.json()) as Omit<Reply, 'status'>) };
  };
}

const now = Math.floor(Date.now() / minute) * minute;

it('counts runs with their tokens, costs and durations over time, by agent', async () => {
  const store = createInMemoryTelemetryStore();
  await store.write({
    spans: [...run(1, 'helper', 10), ...run(2, 'helper', 300, 2), ...run(3, 'writer', 40)],
    logs: [],
  });
  const get = await start({ telemetry: { store } });
  const { data: metrics } = await get('range=1h&groupBy=agent&limit=1');
  expect(metrics).toMatchObject({
    intervalMs: minute,
    groupBy: 'agent',
    totals: { requests: 3, errors: 1, inputTokens: 300, outputTokens: 60, cachedInputTokens: 0, cost: 0.75 },
    previous: { requests: 0, cost: null, p50Ms: null, p95Ms: null },
    groups: [{ id: 'helper', requests: 2, errors: 1, inputTokens: 200, cost: 0.5, unpricedCalls: 0 }],
    other: { requests: 1, errors: 0, inputTokens: 100, outputTokens: 20, cachedInputTokens: 0, cost: 0.25 },
  });
  expect(metrics.points).toHaveLength(60);
  expect(metrics.groups[0]?.requestsOverTime).toHaveLength(60);
  expect((metrics.totals.p95Ms ?? 0) / 300).toBeCloseTo(1, 0);
  const { data: ofWriter } = await get('range=24h&groupBy=agent&group=writer');
  expect(ofWriter).toMatchObject({
    intervalMs: 30 * minute,
    totals: { requests: 1 },
    groups: [{ id: 'writer' }],
    other: null,
  });
});

it('counts for a user only what belongs to the user', async () => {
  const store = createInMemoryTelemetryStore();
  await store.write({ spans: run(1, 'helper', 10), logs: [] });
  for (const [id, requests] of [
    ['ada', 1],
    ['ben', 0],
  ] as const) {
    const get = await start({ telemetry: { store }, userOf: () => ({ id }) });
    for (const groupBy of ['none', 'agent', 'model', 'user']) {
      const { groups, totals } = (await get(`groupBy=${groupBy}`)).data;
      expect([totals.requests, groups.length]).toEqual([requests, groupBy === 'none' ? 0 : requests]);
    }
    await server?.close();
  }
});

it('rounds a time to whole intervals, and chooses them', async () => {
  const get = await start();
  const from = '2026-11-01T10:20:30Z';
  expect((await get(`from=${from}&to=2026-11-04T10:00:00Z`)).data).toMatchObject({
    from: '2026-11-01T10:00:00.000Z',
    to: '2026-11-04T10:00:00.000Z',
    intervalMs: 60 * minute,
  });
  expect((await get(`from=${from}&to=2026-11-01T11:00:00Z&interval=15m`)).data).toMatchObject({
    from: '2026-11-01T10:15:00.000Z',
    to: '2026-11-01T11:00:00.000Z',
    points: [{ time: '2026-11-01T10:15:00.000Z' }, { time: '2026-11-01T10:30:00.000Z' }, {}],
  });
});

it.each([
  ['range=1h&from=2026-11-01T10:00:00Z', 'query/range and query/from exclude each other'],
  ['range=90d', 'query/range must be 1 minute to 31 days long'],
  ['range=0h', 'query/range'],
  ['from=2026-11-02&to=2026-11-01', 'query/from must be 1 minute to 31 days long'],
  ['from=yesterday', 'query/from must be an ISO 8601 timestamp'],
  ['range=14d&interval=1m', 'query/interval must give at most 750 points'],
  ['range=14d&interval=90m', 'query/interval must be whole hours if it is longer than one'],
  ['groupBy=mood', 'query/groupBy'],
  ['group=helper', 'query/group needs query/groupBy'],
  ['limit=51', 'query/limit'],
])('refuses %s', async (query, message) => {
  const get = await start();
  const { error, status, success } = await get(query);
  expect([status, success]).toEqual([400, false]);
  expect(error).toContain(message);
});

it('counts nothing if nothing is recorded', async () => {
  const get = await start({ telemetry: false });
  const { groups, totals } = (await get('groupBy=user')).data;
  expect([groups, totals.requests, totals.p50Ms]).toEqual([[], 0, null]);
});

/** A run of an agent with one model call. */
function run(number: number, agent: string, durationMs: number, code: 1 | 2 = 1): readonly SpanRecord[] {
  const entry: SpanRecord = {
    traceId: `${number}`.padStart(32, '0'),
    spanId: `${number}`.padStart(16, '0'),
    parentSpanId: null,
    isEntry: true,
    name: 'run',
    kind: 0,
    startTime: now - 5 * minute,
    endTime: now - 5 * minute + durationMs,
    attributes: { 'entity.type': 'agent', 'entity.id': agent, 'user.id': 'ada' },
    status: { code },
    events: [],
    links: [],
    resource: {},
    instrumentationScope: { name: 'test' },
  };
  const attributes = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': 'small',
    'gen_ai.agent.id': agent,
    'gen_ai.usage.input_tokens': 100,
    'gen_ai.usage.output_tokens': 20,
    'gen_ai.usage.cost': 0.25,
  };
  return [entry, { ...entry, spanId: `${number}`.padStart(16, 'a'), isEntry: false, attributes }];
}
