import { Agent } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { createInMemoryTelemetryStore } from '@halyard/memory-in-memory';
import { afterEach, describe, expect, it } from 'vitest';
import { agents, usage } from '../../../testing/generation.ts';
import { json, serve, type Served } from '../../../testing/serve.ts';
import { connectTo } from '../../../testing/sockets.ts';
import { workflows } from '../../../testing/workflows.ts';
import type { AgentHistory } from '../agents/schemas.ts';
import type { Metrics } from './metrics-schemas.ts';
import type { Span, SpanNode, Trace, TraceSummary } from './schemas.ts';

let server: Served;
afterEach(() => server.close());

async function get<Data>(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Data> {
  const response = await fetch(`${server.origin}${path}`, { headers });
  const { data, error } = (await response.json()) as { data: Data; error?: string };
  expect([response.status, error]).toEqual([200, undefined]);
  return data;
}

async function post(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<void> {
  const init = json(body);
  const response = await fetch(`${server.origin}${path}`, { ...init, headers: { ...init.headers, ...headers } });
  expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
}

const traceId = '0af7651916cd43dd8448eb211c80319c';
const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
const ask = { input: 'Weather in Rome?', options: { userId: 'ada', conversationId: 'c1' } };

function shape(nodes: readonly SpanNode[]): unknown {
  return nodes.map(({ children, name }) => (children.length === 0 ? name : { [name]: shape(children) }));
}

describe('a run', () => {
  it('belongs to the trace of its caller, and has the same spans in the API, over the WebSocket and in the store', async () => {
    const store = createInMemoryTelemetryStore();
    server = await serve([], { agents, telemetry: { store } });
    const { next } = connectTo(`${server.origin}/ws/observability`);
    expect(await next()).toMatchObject({ type: 'CONNECTION_SUCCESS', success: true });
    await post('/agents/weather/text', ask, { traceparent });

    const trace = await get<Trace>(`/observability/traces/${traceId}`);
    expect(trace).toMatchObject({ traceId, spanCount: trace.spans.length });
    const [model = ''] = trace.spans.map(({ name }) => name).filter((name) => name.startsWith('chat'));
    expect(shape(trace.tree)).toEqual([{ 'invoke_agent weather': [model, 'execute_tool getWeather', model] }]);
    expect(trace.tree[0]).toMatchObject({
      parentSpanId: 'b7ad6b7169203331',
      attributes: { 'entity.type': 'agent', 'entity.id': 'weather', 'user.id': 'ada', 'gen_ai.conversation.id': 'c1' },
    });

    const emitted = new Map<string, Span>();
    while (emitted.size < trace.spanCount) {
      const { data, type } = (await next()) as { type: string; data: { type: string; span: Span } };
      if (type === 'OBSERVABILITY_EVENT' && data.type === 'span:end') emitted.set(data.span.spanId, data.span);
    }
    const stored = new Map((await store.findTrace('anyone', traceId)).map((span) => [span.spanId, span]));
    for (const span of trace.spans) {
      expect(emitted.get(span.spanId)).toEqual(span);
      expect(await get(`/observability/spans/${span.spanId}`)).toEqual(span);
      expect(stored.get(span.spanId)).toMatchObject({ name: span.name, attributes: span.attributes });
    }
  });

  it('of a workflow stays in its trace when another service resumes it, and links to that service’s span', async () => {
    server = await serve([], { workflows });
    const start = { input: { total: 1 }, options: { executionId: 'e' } };
    await post('/workflows/approval/execute', start, { traceparent });
    const resumer = { traceId: 'd'.repeat(32), spanId: 'e'.repeat(16) };
    const { traceId: elsewhere, spanId } = resumer;
    await post(
      '/workflows/approval/executions/e/resume',
      { resumeData: { by: 'ada' } },
      { traceparent: `00-${elsewhere}-${spanId}-01` },
    );
    const stretches = async () => {
      const { spans } = await get<Trace>(`/observability/traces/${traceId}`);
      return spans.filter(({ name }) => name === 'workflow approval');
    };
    await expect.poll(stretches).toMatchObject([{ links: [] }, { endTime: expect.any(String) }]);
    const [first, second] = await stretches();
    expect(second?.links).toMatchObject([{ traceId, spanId: first?.spanId }, resumer]);
    const none = await fetch(`${server.origin}/observability/traces/${elsewhere}`);
    expect(none.status).toBe(404);
  });

  it('of a tool that is called directly has its own trace', async () => {
    server = await serve([], { agents });
    await post('/tools/getWeather/execute', { input: { city: 'Rome' } }, { traceparent });
    const { traces } = await get<{ traces: TraceSummary[] }>('/observability/traces?entityType=tool');
    expect(traces).toMatchObject([{ traceId, entityId: 'getWeather', status: 'ok', spanCount: 1 }]);
  });

  it('has an outline without what people and models wrote', async () => {
    server = await serve([], { agents });
    await post('/agents/weather/text', ask, { traceparent });
    const full = await get<Trace>(`/observability/traces/${traceId}`);
    const outline = await get<Trace>(`/observability/traces/${traceId}?view=outline`);
    expect(outline).toMatchObject({ traceId, spanCount: full.spanCount, hasMore: false, tree: [] });
    expect(outline.spans.map(({ spanId }) => spanId)).toEqual(full.spans.map(({ spanId }) => spanId));
    const agent = outline.spans.find(({ attributes }) => attributes['entity.type'] === 'agent');
    expect(agent?.attributes).toMatchObject({ 'entity.id': 'weather', 'gen_ai.request.model': expect.any(String) });
    expect(JSON.stringify(outline)).not.toMatch(/Rome|21°/);
  });

  it('has steps with what each was given and answered, without what every model call repeats', async () => {
    server = await serve([], { agents });
    await post('/agents/weather/text', ask, { traceparent });
    const { spans, tree } = await get<Trace>(`/observability/traces/${traceId}?view=steps`);
    expect(tree).toEqual([]);
    const find = (operation: string): Trace['spans'][number]['attributes'] | undefined =>
      spans.find(({ attributes }) => attributes['gen_ai.operation.name'] === operation)?.attributes;
    expect(find('invoke_agent')).toMatchObject({ 'gen_ai.input.messages': expect.stringContaining('Rome') });
    expect(find('execute_tool')).toMatchObject({ 'gen_ai.tool.call.arguments': expect.stringContaining('Rome') });
    expect(find('chat')).toMatchObject({ 'gen_ai.output.messages': expect.stringContaining('getWeather') });
    expect(find('chat')).not.toHaveProperty(['gen_ai.input.messages']);
    expect(find('chat')).not.toHaveProperty(['gen_ai.tool.definitions']);
  });

  it.each([
    [{}, 'Weather in Rome?'],
    [{ recordContent: false }, undefined],
  ])('contains messages only if contents are recorded: %o', async (telemetry, content) => {
    server = await serve([], { agents, telemetry });
    await post('/agents/weather/text', ask, { traceparent });
    const text = JSON.stringify(await get(`/observability/traces/${traceId}`));
    expect(text.includes('Weather in Rome?')).toBe(content !== undefined);
    expect(text.includes('21°')).toBe(content !== undefined);
  });
});

it('separates 200 simultaneous runs', async () => {
  server = await serve([], { agents });
  const ids = Array.from({ length: 200 }, (_, at) => `${traceId.slice(0, 28)}${String(at).padStart(4, '0')}`);
  await Promise.all(
    ids.map((id) =>
      post(
        '/agents/weather/text',
        { ...ask, options: { userId: id } },
        { traceparent: `00-${id}-b7ad6b7169203331-01` },
      ),
    ),
  );
  for (const id of ids) {
    const { spans, tree } = await get<Trace>(`/observability/traces/${id}`);
    expect(spans).toHaveLength(4);
    expect(tree).toHaveLength(1);
    expect(tree[0]?.children).toHaveLength(3);
    expect(tree[0]?.attributes['user.id']).toBe(id);
  }
  expect(await get('/observability/traces?limit=1')).toMatchObject({ count: 1, total: 200 });
});

describe('lists', () => {
  it('of traces can be filtered by entity and status, newest first', async () => {
    server = await serve([], { agents, workflows });
    await post('/agents/plain/text', { input: 'hi', options: { userId: 'zoe' } });
    await fetch(`${server.origin}/agents/failing/text`, json({ input: 'hi' }));
    await post('/workflows/sum/execute', { input: { a: 1, b: 2 } });
    const ids = async (query: string) => {
      const { total, traces } = await get<{ total: number; traces: TraceSummary[] }>(`/observability/traces?${query}`);
      expect(total).toBeGreaterThanOrEqual(traces.length);
      return traces.map(({ entityId, status }) => `${entityId} ${status}`);
    };
    expect(await ids('')).toEqual(['sum ok', 'failing error', 'plain ok']);
    expect(await ids('entityType=agent')).toEqual(['failing error', 'plain ok']);
    expect(await ids('entityType=agent&entityId=plain')).toEqual(['plain ok']);
    expect(await ids('status=error')).toEqual(['failing error']);
    expect(await ids('userId=zoe')).toEqual(['plain ok']);
    expect(await ids('text=Failing')).toEqual(['failing error']);
    expect(await ids('text=zoe&entityType=agent')).toEqual(['plain ok']);
    expect(await ids('text=nowhere')).toEqual([]);
    expect(await ids('limit=1&offset=1')).toEqual(['failing error']);
    expect(await ids('from=2999-01-01')).toEqual([]);
  });

  it.each([
    '/observability/traces?limit=201',
    '/observability/traces?entityType=planet',
    '/observability/traces?status=good',
    '/observability/traces?from=yesterday',
    '/observability/traces?text=',
    '/observability/logs?limit=1001',
    '/observability/logs?severityNumber=25',
    '/observability/logs?to=never',
    '/observability/traces/a%20b',
    '/agents/plain/history?limit=101',
  ])('refuse invalid requests: %s', async (path) => {
    server = await serve([], { agents });
    expect((await fetch(`${server.origin}${path}`)).status).toBe(400);
  });

  it.each([
    [`/observability/traces/${traceId}`, 'TRACE_NOT_FOUND'],
    [`/observability/traces/${traceId}/logs`, 'TRACE_NOT_FOUND'],
    ['/observability/spans/b7ad6b7169203331', 'SPAN_NOT_FOUND'],
    ['/observability/spans/b7ad6b7169203331/logs', 'SPAN_NOT_FOUND'],
    ['/agents/unknown/history', 'AGENT_NOT_FOUND'],
  ])('do not find unknown entities: %s', async (path, code) => {
    for (const telemetry of [{}, false] as const) {
      server = await serve([], { agents, telemetry });
      const response = await fetch(`${server.origin}${path}`);
      expect([response.status, response.headers.get('x-error-code')]).toEqual([404, code]);
      await response.text();
      await server.close();
    }
  });
});

it('reports whether telemetry is recorded, and how much is stored', async () => {
  server = await serve([], { agents });
  await post('/agents/plain/text', { input: 'hi' });
  expect(await get('/observability/status')).toMatchObject({
    enabled: true,
    storage: 'in-memory',
    persistent: false,
    websocket: '/ws/observability',
    traceCount: 1,
    spanCount: 2,
  });
});

it('records nothing if telemetry is off', async () => {
  server = await serve([], { agents, telemetry: false });
  await post('/agents/plain/text', { input: 'hi' });
  expect(await get('/observability/status')).toMatchObject({ enabled: false, storage: null, traceCount: 0 });
  expect(await get('/observability/traces')).toEqual({ traces: [], count: 0, total: 0, hasMore: false });
  expect(await get('/agents/plain/history')).toEqual({ entries: [], total: 0, page: 0, limit: 10, isComplete: true });
  expect(await get('/agents/plain')).toMatchObject({ isTelemetryEnabled: false });
});

describe('the history of an agent', () => {
  it('contains its runs for a user, newest first', async () => {
    server = await serve([], {
      agents,
      userOf: ({ headers }) => (typeof headers['x-as'] === 'string' ? { id: headers['x-as'] } : undefined),
    });
    await post('/agents/plain/text', { input: 'from ada', options: { userId: 'ada', conversationId: 'c1' } });
    await post('/agents/plain/text', { input: 'from bob', options: { userId: 'bob' } });
    await post('/agents/weather/text', { input: 'of another agent' });
    const users = async (query: string, as?: string) => {
      const { entries, total } = await get<AgentHistory>(
        `/agents/plain/history?${query}`,
        as === undefined ? {} : { 'x-as': as },
      );
      return [entries.map(({ userId }) => userId), total];
    };
    expect(await users('')).toEqual([['bob', 'ada'], 2]);
    expect(await users('limit=1&page=1')).toEqual([['ada'], 2]);
    expect(await users('userId=ada')).toEqual([['ada'], 1]);
    expect(await users('', 'ada')).toEqual([['ada'], 1]);
    expect(await users('userId=ada', 'bob')).toEqual([['bob'], 1]);

    const { entries } = await get<AgentHistory>('/agents/plain/history?userId=ada');
    expect(entries[0]).toMatchObject({
      agentId: 'plain',
      operation: 'text',
      status: 'completed',
      usage: { ...usage(3, 4), cachedInputTokens: 1, reasoningTokens: 2 },
      conversationId: 'c1',
      startedAt: expect.stringMatching(/Z$/),
      endedAt: expect.stringMatching(/Z$/),
      traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    expect(JSON.stringify(entries[0]?.input)).toContain('from ada');
    expect(JSON.stringify(entries[0]?.output)).toContain('Hi ');
  });

  it('contains the caller of each run', async () => {
    server = await serve([], { agents });
    const schema = { type: 'object', properties: { city: { type: 'string' } } };
    for (const operation of ['text', 'stream', 'chat', 'object', 'stream-object'])
      await (await fetch(`${server.origin}/agents/plain/${operation}`, json({ input: 'hi', schema }))).text();
    const { entries } = await get<AgentHistory>('/agents/plain/history');
    expect(entries.map(({ operation }) => operation)).toEqual(['stream-object', 'object', 'chat', 'stream', 'text']);
  });

  it('contains the error of a failed run', async () => {
    server = await serve([], { agents });
    await (await fetch(`${server.origin}/agents/failing/text`, json({ input: 'hi' }))).text();
    const { entries } = await get<AgentHistory>('/agents/failing/history');
    expect(entries).toMatchObject([{ status: 'error', error: 'The model of agent "failing" failed' }]);
  });
});

it('counts stopped and refused runs neither as errors nor as successes', async () => {
  const begun = Promise.withResolvers<void>();
  const model = scriptedModel(() => {
    begun.resolve();
    return { text: ['so far'], hangs: true };
  });
  const polite = new Agent({
    id: 'polite',
    model,
    inputGuardrails: [
      { name: 'words', check: (text) => (text === 'rude' ? { action: 'block', reason: 'no' } : { action: 'allow' }) },
    ],
  });
  server = await serve([], { agents: [polite, ...agents] });
  const send = (path: string, body: unknown, signal?: AbortSignal): Promise<Response> =>
    fetch(`${server.origin}${path}`, { ...json(body), ...(signal && { signal }) });
  const client = new AbortController();
  const left = send('/agents/polite/text', { input: 'Hello' }, client.signal).catch(() => {});
  await begun.promise;
  client.abort();
  await left;
  await send('/agents/polite/text', { input: 'rude' });
  await send('/agents/failing/text', { input: 'Hello' });

  const listed = async (status: string): Promise<unknown> => {
    const { traces } = await get<{ traces: TraceSummary[] }>(`/observability/traces?status=${status}`);
    return traces.map(({ entityId }) => entityId);
  };
  await expect.poll(() => listed('aborted')).toEqual(['polite']);
  expect(await listed('refused')).toEqual(['polite']);
  expect(await listed('error')).toEqual(['failing']);
  expect(await listed('ok')).toEqual([]);
  const { entries } = await get<AgentHistory>('/agents/polite/history');
  expect(entries).toMatchObject([
    { status: 'refused', error: 'Guardrail "words" blocked the input: no', errorType: 'INPUT_BLOCKED' },
    { status: 'aborted', error: 'The run was aborted', errorType: 'ABORTED' },
  ]);
  const { totals } = await get<Metrics>('/observability/metrics?range=1h');
  expect(totals).toMatchObject({ requests: 3, errors: 1 });
});
