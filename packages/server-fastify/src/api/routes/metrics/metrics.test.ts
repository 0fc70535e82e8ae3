import { Agent, createWorkflow } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import Fastify from 'fastify';
import { afterEach, expect, it } from 'vitest';
import { Overload } from '../../../admission/overload.ts';
import { halyard } from '../../../halyard.ts';
import { ServerMetrics } from '../../../runtime/metrics/server-metrics.ts';
import { agents, hanging } from '../../../testing/generation.ts';
import { Scrape } from '../../../testing/scrape.ts';
import { json, serve, type Served } from '../../../testing/serve.ts';
import { connectTo } from '../../../testing/sockets.ts';
import { gateOf, workflows } from '../../../testing/workflows.ts';

let server: Served | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const requests = 'http_server_request_duration_seconds';
const agentRuns = 'gen_ai_invoke_agent_duration_seconds';
const workflowRuns = 'halyard_workflow_run_duration_seconds';
const input = json({ input: 'Hi' });

async function statusOf(path: string, init?: RequestInit): Promise<number> {
  const response = await fetch(`${server?.origin}${path}`, init);
  await response.text();
  return response.status;
}

it('is in the text format of Prometheus', async () => {
  server = await serve([], { agents, workflows });
  await statusOf('/agents/plain/text', input);
  const response = await fetch(`${server.origin}/metrics`);
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(response.headers.get('cache-control')).toBe('no-store');
  const { text, types } = new Scrape(await response.text());
  expect(types.size).toBeGreaterThan(25);
  for (const name of types.keys()) expect(text).toMatch(new RegExp(`^# HELP ${name} [A-Z0-9].+`, 'm'));
});

it('counts requests by method, route pattern and status', async () => {
  server = await serve([], {
    agents,
    workflows,
    auth: { consoleKey: 'k', publicRoutes: ['/agents/**', 'GET /metrics'] },
  });
  for (const id of ['plain', 'strict', 'nobody']) await statusOf(`/agents/${id}/text`, input);
  await statusOf('/agents/plain/stream', input);
  await statusOf('/agents/plain/text', json('no json'));
  await statusOf('/workflows');
  await statusOf('/nowhere/at/all', { headers: { 'x-console-access-key': 'k' } });
  await statusOf('/%', { headers: { 'x-console-access-key': 'k' } });
  await statusOf('/healthz', { method: 'HEAD' });

  const scrape = await Scrape.of(server.origin);
  const counted = scrape.samples(requests).map(({ labels, value }) => [...Object.values(labels), value].join(' '));
  expect(counted.toSorted((one, other) => one.localeCompare(other))).toEqual([
    'GET /workflows 401 1',
    'GET unmatched 400 1',
    'GET unmatched 404 1',
    'HEAD /healthz 200 1',
    'POST /agents/:id/stream 200 1',
    'POST /agents/:id/text 200 2',
    'POST /agents/:id/text 400 1',
    'POST /agents/:id/text 404 1',
  ]);
});

it('has cumulative buckets that end with the count', async () => {
  server = await serve([], { agents });
  for (let call = 0; call < 5; call += 1) await statusOf('/agents/plain/text', input);
  const scrape = await Scrape.of(server.origin);
  const histograms = [...scrape.types].filter(([, type]) => type === 'histogram').map(([name]) => name);
  expect(histograms.length).toBeGreaterThan(5);
  for (const name of [requests, agentRuns, 'gen_ai_invoke_agent_inference_calls']) {
    for (const { labels, value: count } of scrape.samples(name)) {
      const buckets = scrape.samples(`${name}_bucket`, labels);
      const [limits, counts] = [
        buckets.map((bucket) => Number(bucket.labels['le']?.replace('+Inf', 'Infinity'))),
        buckets.map(({ value }) => value),
      ];
      expect(limits).toEqual(limits.toSorted((one, other) => one - other));
      expect(limits.at(-1)).toBe(Infinity);
      expect(counts).toEqual(counts.toSorted((one, other) => one - other));
      expect([counts.at(-1), counts.length]).toEqual([count, limits.length]);
      expect(count).toBe(5);
    }
  }
});

it('counts the runs, model calls, tokens and tool calls of agents', async () => {
  server = await serve([], { agents });
  await statusOf('/agents/plain/text', input);
  await statusOf('/agents/plain/stream', input);
  await statusOf('/agents/weather/text', input);
  await statusOf('/agents/boss/text', input);
  await statusOf('/agents/failing/text', input);
  await statusOf(
    '/agents/plain/text',
    json({ input: [{ role: 'user', content: [{ type: 'file', data: 'http://127.0.0.1/', mediaType: 'image/png' }] }] }),
  );
  await statusOf('/agents/scalar/object', json({ input: 'Hi', schema: { type: 'object', properties: {} } }));
  await statusOf('/tools/getWeather/execute', json({ input: { city: 'Rome' } }));

  const scrape = await Scrape.of(server.origin);
  const runs = (id: string, operation: string, status: string): number =>
    scrape.total(agentRuns, { gen_ai_agent_id: id, operation, status });
  expect(runs('plain', 'text', 'completed')).toBe(1);
  expect(runs('plain', 'stream', 'completed')).toBe(1);
  expect(runs('plain', 'text', 'refused')).toBe(1);
  expect(runs('boss', 'text', 'completed')).toBe(1);
  expect(scrape.total(agentRuns, { gen_ai_agent_id: 'helper', status: 'completed' })).toBe(1);
  expect(runs('failing', 'text', 'failed')).toBe(1);
  expect(runs('scalar', 'object', 'failed')).toBe(1);

  const ofPlain = { gen_ai_agent_id: 'plain' };
  expect(scrape.total('gen_ai_client_inference_duration_seconds', { ...ofPlain, status: 'completed' })).toBe(2);
  expect(
    scrape.total('gen_ai_client_inference_duration_seconds', { gen_ai_agent_id: 'failing', status: 'failed' }),
  ).toBe(1);
  const tokens = (kind: string): number =>
    scrape.total(`gen_ai_client_inference_usage_${kind}_tokens_total`, {
      ...ofPlain,
      gen_ai_token_modality: 'unknown',
    });
  expect(['input', 'cache_read_input', 'output', 'reasoning_output'].map(tokens)).toEqual([6, 2, 8, 4]);
  const ofBoss = { gen_ai_agent_id: 'boss', gen_ai_agent_name: 'boss' };
  expect(scrape.total('gen_ai_invoke_agent_inference_calls_sum', ofBoss)).toBe(2);
  expect(scrape.total('gen_ai_invoke_agent_tool_calls_sum', ofBoss)).toBe(1);
  expect(
    scrape.total('gen_ai_execute_tool_duration_seconds', { gen_ai_tool_name: 'getWeather', status: 'completed' }),
  ).toBe(2);
});

it('has the units and buckets that the conventions recommend', async () => {
  const metrics = new ServerMetrics();
  const run = { agentId: 'a', agentName: 'A', operation: 'text', end: 'completed', durationMs: 1 } as const;
  metrics.agentRunEnded({ ...run, inferenceCalls: 2, toolCalls: 0 });
  metrics.modelCallEnded({ agentId: 'a', provider: 'p', modelId: 'm', end: 'completed', durationMs: 1 });
  metrics.toolCallEnded({ toolName: 't', end: 'completed', durationMs: 1 });
  const collected = new Map((await metrics.collect()).map((metric) => [metric.name, metric]));
  const bucketsOf = (name: string): unknown => {
    const value = collected.get(name)?.points[0]?.value;
    return typeof value === 'object' && [collected.get(name)?.unit, value.boundaries[0], value.boundaries.at(-1)];
  };
  expect(bucketsOf('gen_ai.client.inference.duration')).toEqual(['s', 0.01, 81.92]);
  expect(bucketsOf('gen_ai.execute_tool.duration')).toEqual(['s', 0.01, 81.92]);
  expect(bucketsOf('gen_ai.invoke_agent.duration')).toEqual(['s', 0.1, 409.6]);
  expect(bucketsOf('gen_ai.invoke_agent.inference_calls')).toEqual(['{inference_call}', 1, 128]);
  expect(bucketsOf('gen_ai.invoke_agent.tool_calls')).toEqual(['{tool_call}', 1, 128]);
});

it('counts the runs of executions by workflow and status', async () => {
  const failing = createWorkflow({ id: 'failing' }).andThen({
    id: 'fail',
    execute: () => Promise.reject(new RangeError('no')),
  });
  server = await serve([], { agents, workflows: [...workflows, failing] });
  await statusOf('/workflows/sum/execute', json({ input: { a: 1, b: 2 } }));
  await statusOf('/workflows/failing/execute', json({ input: {} }));
  await statusOf('/workflows/approval/execute', json({ input: { total: 1 } }));

  const scrape = await Scrape.of(server.origin);
  expect(scrape.total(workflowRuns, { workflow_id: 'sum', status: 'completed' })).toBe(1);
  expect(scrape.total(workflowRuns, { workflow_id: 'failing', status: 'error' })).toBe(1);
  expect(scrape.total(workflowRuns, { workflow_id: 'approval', status: 'suspended' })).toBe(1);
  expect(scrape.total(workflowRuns)).toBe(3);
});

it('counts open streams and running work', async () => {
  const name = 'while it is measured';
  const waiting = createWorkflow({ id: 'held' }).andThen({
    id: 'wait',
    execute: ({ signal }) => gateOf(name).pass(signal),
  });
  server = await serve([], { agents, workflows: [waiting] });
  const left = new AbortController();
  const calls = hanging.calls.length;
  const stream = await fetch(`${server.origin}/agents/hanging/stream`, { ...input, signal: left.signal });
  const socket = connectTo(`${server.origin}/ws`);
  await socket.next();
  const execution = fetch(`${server.origin}/workflows/held/execute`, json({ input: {} }));
  await gateOf(name).entered;

  const busy = await Scrape.of(server.origin);
  const open = [
    'http_server_active_requests',
    'halyard_streams_open',
    'halyard_websockets_open',
    'halyard_executions_running',
  ];
  expect(open.map((metric) => busy.total(metric))).toEqual([2, 1, 1, 1]);
  expect(hanging.calls.length).toBe(calls + 1);

  gateOf(name).open();
  await (await execution).text();
  left.abort();
  await stream.text().catch(() => {});
  socket.socket.close();
  await socket.closed;
  await expect.poll(idle).toEqual([0, 0, 0, 0]);
  const after = await Scrape.of(server.origin);
  expect(after.total(requests, { http_route: '/agents/:id/stream', http_response_status_code: '200' })).toBe(1);
  expect(after.total(agentRuns, { gen_ai_agent_id: 'hanging', status: 'aborted' })).toBe(1);
  // A WebSocket is not a request.
  expect(after.total(requests, { http_route: '/ws' })).toBe(0);

  async function idle(): Promise<readonly number[]> {
    const scrape = await Scrape.of(server?.origin ?? '');
    return open.map((metric) => scrape.total(metric));
  }
});

it('counts rejected requests by reason', async () => {
  const overload = new Overload(100);
  server = await serve([], { agents, overload, rateLimit: { max: 3 } });
  overload.add(101);
  overload.add(101);
  expect(await statusOf('/agents')).toBe(503);
  overload.add(0);
  for (const expected of [404, 404, 404, 429, 429]) expect(await statusOf('/nowhere')).toBe(expected);
  const rejected = 'halyard_http_rejected_requests_total';
  const scrape = new Scrape((await server.app.inject({ url: '/metrics', remoteAddress: '127.0.0.2' })).body);
  expect(scrape.total(rejected, { http_response_status_code: '503', reason: 'OVERLOADED' })).toBe(1);
  expect(scrape.total(rejected, { http_response_status_code: '429', reason: 'RATE_LIMITED' })).toBe(2);
});

it('measures the process and the event loop', async () => {
  server = await serve();
  const scrape = await Scrape.of(server.origin);
  for (const name of [
    'process_memory_usage_bytes',
    'v8js_memory_heap_used_bytes',
    'process_uptime_seconds',
    'process_cpu_time_seconds_total',
  ])
    expect(scrape.total(name), `value of ${name}`).toBeGreaterThan(0);
  expect(scrape.total('v8js_memory_heap_limit_bytes')).toBeGreaterThan(scrape.total('v8js_memory_heap_used_bytes'));
  expect(scrape.samples('nodejs_eventloop_delay_p99_seconds')).toHaveLength(1);
  const utilization = scrape.total('nodejs_eventloop_utilization_ratio');
  expect(utilization).toBeGreaterThan(0);
  expect(utilization).toBeLessThanOrEqual(1);
});

it('does not grow with the paths and ids that callers choose', async () => {
  const model = scriptedModel('Hi');
  const chosen = new Agent({
    id: 'chosen',
    model: ({ context }) => ({ ...model, modelId: `model-${String(context['model'])}` }),
  });
  server = await serve([], { agents: [chosen], workflows });
  const { app } = server;
  const paths = [
    (at: number) => `/path-${at}/${at}?q=${at}`,
    (at: number) => `/agents/agent-${at}`,
    (at: number) => `/workflows/sum/executions/run-${at}/state`,
    (at: number) => `/mcp/servers/server-${at}`,
  ];
  const ask = async (from: number, to: number): Promise<void> => {
    for (let at = from; at < to; at += 1) for (const path of paths) await app.inject({ url: path(at) });
  };
  const answer = async (at: number): Promise<void> => {
    const options = { userId: `user-${at}`, conversationId: `talk-${at}`, context: { model: at } };
    await app.inject({ method: 'POST', url: '/agents/chosen/text', payload: { input: 'Hi', options } });
  };
  await ask(0, 1);
  for (let at = 0; at < 120; at += 1) await answer(at);
  const before = await Scrape.of(server.origin);
  await ask(1, 250);
  for (let at = 120; at < 160; at += 1) await answer(at);
  const after = await Scrape.of(server.origin);

  // The only new series is that of the first scrape.
  expect(after.samples(requests)).toHaveLength(before.samples(requests).length + 1);
  expect(after.total(requests, { http_request_method: 'GET', http_response_status_code: '404' })).toBe(1_000);
  expect(after.total(requests, { http_route: 'unmatched' })).toBe(250);
  const calls = 'gen_ai_client_inference_duration_seconds';
  expect(after.samples(calls)).toHaveLength(101);
  expect(after.total(calls, { gen_ai_request_model: '_OTHER' })).toBe(60);
  expect(after.text).not.toMatch(/(?:user|talk|path|run|agent|server)-\d/);
  expect(after.size - before.size).toBeLessThan(25);
});

it('limits the number of methods, models, operations and error codes', async () => {
  const metrics = new ServerMetrics();
  for (let at = 0; at < 10_000; at += 1) {
    metrics.requestEnded({ method: `M${at}`, route: '/a', status: 429, reason: `CODE_${at}`, durationMs: 1 });
    metrics.agentRunEnded({
      agentId: `a-${at}`,
      agentName: `n-${at}`,
      operation: `o-${at}`,
      end: 'completed',
      durationMs: 1,
      inferenceCalls: 1,
      toolCalls: 0,
    });
    metrics.modelCallEnded({
      agentId: 'a-1',
      provider: `p-${at}`,
      modelId: `${at}`.repeat(at % 200),
      end: 'failed',
      durationMs: 1,
    });
    metrics.toolCallEnded({ toolName: `t-${at}`, end: 'failed', durationMs: 1 });
    metrics.executionRunEnded({ workflowId: `w-${at}`, end: 'error', durationMs: 1 });
  }
  const scrape = new Scrape(await metrics.text());
  expect(scrape.samples(requests)).toHaveLength(1);
  expect(scrape.total(requests, { http_request_method: '_OTHER' })).toBe(10_000);
  const named = [
    'halyard_http_rejected_requests_total',
    agentRuns,
    'gen_ai_client_inference_duration_seconds',
    workflowRuns,
  ];
  for (const name of named) expect(scrape.samples(name).length, `samples of ${name}`).toBeLessThanOrEqual(201);
  expect(scrape.total('gen_ai_execute_tool_duration_seconds', { gen_ai_tool_name: '_OTHER' })).toBe(9_900);
});

it('needs the console key, unless it is public', async () => {
  const auth = { consoleKey: 'k', provider: { type: 'p', verifyToken: () => ({ id: 'ann' }) } };
  server = await serve([], { auth });
  expect(await statusOf('/metrics')).toBe(401);
  expect(await statusOf('/metrics', { headers: { authorization: 'Bearer anything' } })).toBe(401);
  expect(await statusOf('/metrics', { headers: { 'x-console-access-key': 'k' } })).toBe(200);
  expect(await statusOf('/metrics?key=k')).toBe(200);
  await server.close();

  server = await serve([], { auth: { ...auth, publicRoutes: ['GET /metrics'] } });
  expect(await statusOf('/metrics')).toBe(200);
  expect(await statusOf('/agents')).toBe(401);
});

it('replies while the server shuts down', async () => {
  server = await serve([], { agents });
  const left = new AbortController();
  const stream = await fetch(`${server.origin}/agents/hanging/stream`, { ...input, signal: left.signal });
  const closed = server.close();
  const scrape = await Scrape.of(server.origin);
  expect(scrape.total('halyard_streams_open')).toBe(1);
  left.abort();
  await stream.text().catch(() => {});
  await closed;
});

it('counts only the routes of the plugin in an app of its own', async () => {
  const app = Fastify({ pluginTimeout: 0 });
  app.get('/own/:id', () => 'own');
  await app.register(halyard, { agents });
  await app.inject('/own/1');
  await app.inject({ method: 'POST', url: '/agents/plain/text', payload: { input: 'Hi' } });
  const scrape = new Scrape((await app.inject('/metrics')).body);
  await app.close();
  expect(scrape.samples(requests).map(({ labels }) => labels['http_route'])).toEqual(['/agents/:id/text']);
});

it('reports the connections of the pools', async () => {
  const { createInMemoryStorage } = await import('@halyard/memory-in-memory');
  const storage = { ...createInMemoryStorage(), connections: () => ({ total: 4, idle: 1, waiting: 7, max: 10 }) };
  server = await serve([], { storage });
  const scrape = await Scrape.of(server.origin);
  const state = (name: string) => ({ db_client_connection_pool_name: 'storage', db_client_connection_state: name });
  expect(scrape.total('db_client_connection_count', state('idle'))).toBe(1);
  expect(scrape.total('db_client_connection_count', state('used'))).toBe(3);
  expect(scrape.total('db_client_connection_max')).toBe(10);
  expect(scrape.total('db_client_connection_pending_requests')).toBe(7);
});

it('begins to count lost and quarantined executions at 0, so that an increase shows the first one', async () => {
  server = await serve([], {
    workflows: [createWorkflow({ id: 'order' }).andThen({ id: 'confirm', execute: () => 'ok' })],
  });
  const scrape = await Scrape.of(server.origin);
  for (const name of ['halyard_executions_lost_total', 'halyard_executions_quarantined_total'])
    expect(scrape.samples(name)).toMatchObject([{ labels: { workflow_id: 'order' }, value: 0 }]);
});

it('counts lost and quarantined executions', async () => {
  const metrics = new ServerMetrics();
  metrics.executionRunEnded({ workflowId: 'order', end: 'lost', durationMs: 5 });
  metrics.executionQuarantined('order');
  const scrape = new Scrape(await metrics.text());
  expect(scrape.total('halyard_executions_lost_total', { workflow_id: 'order' })).toBe(1);
  expect(scrape.total('halyard_executions_quarantined_total', { workflow_id: 'order' })).toBe(1);
});
