import { Agent, createMemory, createTool, createWorkflow } from '@halyard/core';
import type { McpServer } from '@halyard/core/server';
import { scriptedModel } from '@halyard/core/testing';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { Type } from '@sinclair/typebox';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { agents } from '../../testing/generation.ts';
import {
  type ListedRequest,
  makeConversations,
  memoryRequests,
  memoryRequestsOfAClosingServer,
  memoryStreams,
} from '../../testing/memory-requests.ts';
import { failingMemory, searchableMemory, userOf } from '../../testing/memory.ts';
import { observabilityRequests, observabilityPaths, storeWithTrace } from '../../testing/observability-requests.ts';
import { exchange, json, serve, type Served } from '../../testing/serve.ts';
import { openOutdatedApp, post as bare, refusedUpdates, serviceKeys } from '../../testing/updates-requests.ts';
import { documentedApi } from '../../testing/watch-replies.ts';
import { gateOf, requestWorkflows, workflows } from '../../testing/workflows.ts';

const broken = createTool({
  name: 'broken',
  description: 'Throws',
  input: Type.Object({}),
  execute: () => {
    throw new Error('no');
  },
});
const fine = createTool({ name: 'fine', description: 'Works', input: Type.Object({}), execute: () => 'ok' });
const served = [
  ...agents,
  new Agent({ id: 'tools', model: scriptedModel('ok'), tools: [broken, fine] }),
  new Agent({ id: 'forgetful', model: scriptedModel('ok'), memory: failingMemory() }),
];
const mcpServer: McpServer = {
  id: 'own',
  name: 'Own',
  version: '1.0.0',
  description: '',
  transport: 'streamable-http',
  workflows: [],
  listTools: async () => [
    { name: 'fine', description: 'Works', inputSchema: fine.input.jsonSchema, outputSchema: null },
  ],
  close: async () => {},
};

const execution = '/workflows/sum/executions/done';
const get = [
  '/agents',
  '/agents/plain',
  '/agents/plain/card',
  '/api/catalog',
  '/api/identity',
  '/mcp/servers',
  '/mcp/servers/own',
  '/mcp/servers/own/tools',
  '/workflows',
  '/workflows/sum',
  '/workflows/executions',
  execution,
  `${execution}/state`,
  `${execution}/stream`,
  `/observability${execution}/stream`,
  '/api/executions',
  '/tools',
  '/api/logs',
  '/',
  '/doc',
  '/healthz',
  '/readyz',
  '/metrics',
  '/ui',
];
/** Routes that need only a path, and unknown paths. */
const unknown = [
  '/agents/unknown',
  '/agents/unknown/card',
  '/mcp/servers/unknown',
  '/mcp/servers/unknown/tools',
  '/workflows/nothing',
  ...['', '/state', '/stream'].map((end) => `/workflows/sum/executions/unknown${end}`),
  '/observability/workflows/sum/executions/unknown/stream',
];
const input = { input: 'hi' };
const asked = { ...input, schema: { type: 'object' } };
const tried = { messages: [{ role: 'user', content: 'hi' }] };
const withdrawn = { conversationId: 'stored', messageId: 'reply', rating: null };
const sums = { input: { a: 1, b: 2 } };
/** Each with a request that succeeds and the agent, tool or workflow that fails. */
const post: readonly (readonly [path: string, body: object, failing?: string])[] = [
  ['/agents/plain/text', input, '/agents/failing/text'],
  ['/agents/weather/stream', input],
  ['/agents/boss/chat', input],
  ['/agents/object/object', asked, '/agents/scalar/object'],
  ['/agents/object/stream-object', asked],
  ['/agents/plain/try', tried, '/agents/failing/try'],
  ['/agents/plain/feedback', withdrawn],
  ['/tools/fine/execute', { input: {} }, '/tools/broken/execute'],
  ['/workflows/sum/execute', sums, '/workflows/broken/execute'],
  ['/workflows/sum/stream', sums],
  ['/workflows/approval/executions/waits-1/resume', { resumeData: { by: 'ada' } }],
  ['/workflows/approval/executions/waits-2/cancel', { reason: 'x' }],
  ['/workflows/approval/executions/waits-4/terminate', { reason: 'x' }],
  ['/workflows/gated/executions/runs/suspend', { reason: 'x' }],
  ['/workflows/sum/executions/done/replay', { stepId: 'done' }],
];
/** Posts that name nothing in their path. */
const publish: readonly ListedRequest[] = [
  { status: 200, init: json({ name: 'paid', key: 'o-1', payload: { amount: 3 } }) },
  { status: 400, init: json({ name: 'not a name' }) },
  { status: 413, init: json({ name: 'paid', payload: 'x'.repeat(2_000) }) },
  { status: 415, init: { ...json({ name: 'paid' }), headers: { 'content-type': 'text/plain' } } },
].map((request) => ({ path: '/workflows/events', ...request }));
/** Answers are checked when the gate opens. */
const anything = { input: () => ({}), output: () => ({}) };
const validate = async (value: unknown): Promise<{ readonly value: unknown }> => {
  await gateOf('answer').pass(new AbortController().signal);
  return { value };
};
const checked = createWorkflow({
  id: 'checked',
  resumeSchema: { '~standard': { version: 1, vendor: 'test', validate, jsonSchema: anything } },
}).andThen({ id: 'ask', execute: ({ resumeData, suspend }) => resumeData ?? suspend('asks') });
/** Waits for an event that no user may publish. */
const payment = createWorkflow({ id: 'payment' }).andWaitForEvent({ id: 'pay', event: 'paid' });
const bulk = '/workflows/executions/bulk';
const bulkFilter = { workflowId: 'sum', status: 'error' };
/** Starts of bulk operations, which name nothing in their path. */
const bulkStarts: readonly (readonly [path: string, body: object])[] = [
  [bulk, { operation: 'retry', filter: bulkFilter, requestId: 'r-1' }],
  [`${bulk}/preview`, { filter: bulkFilter }],
];
const bulkRequests: readonly ListedRequest[] = [
  ...bulkStarts.flatMap(([path, body]) => [
    { path, status: 200, init: json(body) },
    { path, status: 400, init: json({}) },
    { path, status: 413, init: json({ ...body, more: 'x'.repeat(2_000) }) },
    { path, status: 415, init: { ...json(body), headers: { 'content-type': 'text/plain' } } },
    { path: tooLong(path), status: 414, init: json({}) },
  ]),
  { path: bulk, status: 409, init: json({ operation: 'cancel', all: true, requestId: 'r-1' }) },
  { path: `${bulk}/unknown`, status: 404 },
  { path: `${bulk}/a%20b`, status: 400 },
  { path: tooLong(`${bulk}/unknown`), status: 414 },
  { path: `${bulk}/unknown/cancel`, status: 404, init: json({}) },
  { path: `${bulk}/a%20b/cancel`, status: 400, init: json({}) },
  { path: `${bulk}/unknown/cancel`, status: 413, init: json({ reason: 'x'.repeat(2_000) }) },
  { path: `${bulk}/unknown/cancel`, status: 415, init: { ...json({}), headers: { 'content-type': 'text/plain' } } },
  { path: tooLong(`${bulk}/unknown/cancel`), status: 414, init: json({}) },
];
/** Of a user, who may not let steps run again. */
const asAda = (body: object): RequestInit => ({
  ...json(body),
  headers: { 'content-type': 'application/json', 'x-user': 'ada' },
});
const hers = '/workflows/approval/executions/hers/resume';
const operatorRequests: readonly ListedRequest[] = [
  { path: hers, status: 403, init: asAda({ options: { stepId: 'price', newIdempotencyKeys: true } }) },
  { path: hers, status: 409, init: asAda({ options: { suspensionId: 'none' } }) },
  { path: '/workflows/sum/executions/hers-too/replay', status: 403, init: asAda({ stepId: 'done' }) },
  { path: '/workflows/sum/executions/hers-too/retry', status: 403, init: asAda({}) },
  ...bulkStarts.map(([path, body]) => ({ path, status: 403, init: asAda(body) })),
  { path: '/agents/plain/try', status: 403, init: asAda(tried) },
  { path: '/agents/plain/feedback', status: 403, init: asAda({ ...withdrawn, userId: 'eve' }) },
  { path: `${bulk}/unknown`, status: 403, init: { headers: { 'x-user': 'ada' } } },
  { path: `${bulk}/unknown/cancel`, status: 403, init: asAda({}) },
];
const approvalLists = ['/approvals', '/api/approvals'] as const;
const lateAnswer = { id: 'none', executionId: 'unknown', resumeData: {} };
/** Further replies of these routes need something that waits. */
const approvalRequests: readonly ListedRequest[] = approvalLists.flatMap((list) => {
  const path = `${list}/answer`;
  const grants = `${list}/grants`;
  const revoke = { method: 'DELETE' };
  return [
    { path: grants, status: 200 },
    { path: tooLong(grants), status: 414 },
    { path: `${grants}/unknown`, status: 404, init: revoke },
    { path: `${grants}/a%20b`, status: 400, init: revoke },
    { path: tooLong(`${grants}/unknown`), status: 414, init: revoke },
    { path: list, status: 200 },
    { path: tooLong(list), status: 414 },
    { path, status: 400, init: json({}) },
    { path, status: 404, init: json(lateAnswer) },
    { path, status: 413, init: json({ ...lateAnswer, reason: 'x'.repeat(2_000) }) },
    { path, status: 415, init: { ...json(lateAnswer), headers: { 'content-type': 'text/plain' } } },
    { path: tooLong(path), status: 414, init: json(lateAnswer) },
  ];
});
const auditRequests: readonly ListedRequest[] = ['/audit', '/audit/export'].flatMap((path) => [
  { path, status: 200 },
  { path: `${path}?from=yesterday`, status: 400 },
  { path: tooLong(path), status: 414 },
]);
const redelivery = '/webhooks/deliveries/unknown/redeliver';
const webhookRequests: readonly ListedRequest[] = [
  { path: '/webhooks/deliveries', status: 200 },
  { path: '/webhooks/deliveries?limit=0', status: 400 },
  { path: tooLong('/webhooks/deliveries'), status: 414 },
  { path: redelivery, status: 404, init: bare },
  { path: redelivery.replace('unknown', 'a%20b'), status: 400, init: bare },
  { path: tooLong(redelivery), status: 414, init: bare },
  { path: '/hooks/open', status: 200, init: json({}) },
  { path: '/hooks/a%20b', status: 400, init: json({}) },
  { path: '/hooks/closed', status: 401, init: json({}) },
  { path: '/hooks/unknown', status: 404, init: json({}) },
  { path: '/hooks/open', status: 413, init: json({ more: 'x'.repeat(2_000) }) },
  { path: '/hooks/open', status: 415, init: { ...json({}), headers: { 'content-encoding': 'gzip' } } },
  { path: tooLong('/hooks/open'), status: 414, init: json({}) },
];
const retry = '/workflows/flaky/executions/flaked/retry';
/** Requests for a reply in a conversation. */
const [followed, stopped] = ['/agents/hanging/chat/talk/stream', '/agents/hanging/chat/talk/stop'] as const;
const streams: readonly (readonly [path: string, init?: RequestInit])[] = [
  ['/agents/plain/stream', json(asked)],
  ['/agents/plain/chat', json(asked)],
  ['/agents/object/stream-object', json(asked)],
  ['/workflows/sum/stream', json(sums)],
  [`${execution}/stream`],
  [`/observability${execution}/stream`],
  ['/audit/export'],
  [followed],
  ...memoryStreams.map((path) => [path] as const),
];

/** The same route with another agent, tool or workflow. */
function of(path: string, id: string): string {
  return path.replace(/^\/(agents|tools|workflows)\/\w+/, `/$1/${id}`);
}

const documentedRequests: readonly ListedRequest[] = [
  ...get.map((path) => ({ path, status: 200 })),
  { path: '/doc', status: 304, init: { headers: { 'if-none-match': '*' } } },
  ...unknown.map((path) => ({ path, status: 404 })),
  ...unknown.map((path) => ({ path: path.replace(/unknown|nothing/, 'a%20b'), status: 400 })),
  ...[
    { path: followed, status: 204 },
    { path: stopped, status: 200, init: bare },
    { path: retry, status: 200, init: bare },
    { path: `${execution}/stream-ticket`, status: 200, init: bare },
  ].flatMap((ask) => [
    ask,
    { ...ask, path: of(ask.path, 'unknown'), status: 404 },
    { ...ask, path: of(ask.path, 'a%20b'), status: 400 },
    { ...ask, path: tooLong(ask.path), status: 414 },
  ]),
  { path: `${execution}/stream?from=1000`, status: 204 },
  { path: `/observability${execution}/stream?from=1000`, status: 204 },
  { path: '/workflows/executions?limit=0', status: 400 },
  { path: '/api/executions?limit=0', status: 400 },
  { path: '/api/logs?limit=0', status: 400 },
  ...post.flatMap(([path, body, failing]) => [
    { path, status: 200, init: json(body) },
    { path, status: 400, init: json('5') },
    { path, status: 400, init: json('{') },
    { path: of(path, 'a%20b'), status: 400, init: json(body) },
    { path: of(path, 'unknown'), status: 404, init: json(body) },
    { path, status: 413, init: json({ ...body, more: 'x'.repeat(16_000) }) },
    { path, status: 415, init: { ...json(body), headers: { 'content-type': 'text/plain' } } },
    ...(failing === undefined ? [] : [{ path: failing, status: 500, init: json(body) }]),
  ]),
  ...['execute', 'stream'].map((call) => ({
    path: `/workflows/sum/${call}`,
    status: 409,
    init: json({ ...sums, options: { executionId: 'done' } }),
  })),
  { path: '/workflows/approval/executions/waits-3/resume', status: 500, init: json({ resumeData: { by: 'unknown' } }) },
  { path: of(retry, 'broken').replace('flaked', 'broke'), status: 500, init: bare },
  { path: '/workflows/broken/executions/broke/replay', status: 500, init: json({ stepId: 'explode' }) },
  ...publish,
  ...operatorRequests,
  ...bulkRequests,
  ...approvalRequests,
  ...auditRequests,
  ...webhookRequests,
  { path: tooLong('/workflows/events'), status: 414, init: json({ name: 'paid' }) },
  ...get.map((path) => ({ path: tooLong(path), status: 414 })),
  ...post.map(([path]) => ({ path: tooLong(path), status: 414, init: json({}) })),
  ...memoryRequests,
  ...observabilityRequests,
];

function tooLong(path: string): string {
  return `${path}?${'x'.repeat(8_192)}`;
}

const check = documentedApi();
let server: Served;
beforeAll(async () => {
  server = await serve(
    [],
    {
      agents: served,
      workflows: [...workflows, checked, payment],
      mcpServers: [mcpServer],
      hooks: {
        open: { verify: () => 'webhook', publish: () => undefined },
        closed: { verify: () => undefined, publish: () => undefined },
      },
      webhooks: [
        {
          // Nothing listens there.
          url: 'http://127.0.0.1:1/',
          secret: `whsec_${Buffer.alloc(32).toString('base64')}`,
          allowPrivateAddresses: true,
        },
      ],
      memory: searchableMemory(),
      userOf,
      telemetry: { store: await storeWithTrace() },
      enableSwaggerUI: true,
      limits: { bodyBytes: 16_000 },
    },
    check,
  );
  await startExecutions(server.origin);
  await makeConversations(server);
});
afterAll(() => server.close());

/** Creates the data of the requests above. */
async function startExecutions(origin: string): Promise<void> {
  const started: readonly (readonly [workflow: string, input: object, executionId: string])[] = [
    ['sum', sums.input, 'done'],
    ['broken', {}, 'broke'],
    ['flaky', {}, 'flaked'],
    ['approval', { total: 1 }, 'waits-1'],
    ['approval', { total: 1 }, 'waits-2'],
    ['approval', { total: 1 }, 'waits-3'],
    ['approval', { total: 1 }, 'waits-4'],
  ];
  const ofAda: typeof started = [
    ['approval', { total: 1 }, 'hers'],
    ['sum', sums.input, 'hers-too'],
  ];
  for (const [workflow, data, executionId] of ofAda)
    await requestWorkflows(
      origin,
      `/${workflow}/execute`,
      { input: data, options: { executionId } },
      { 'x-user': 'ada' },
    );
  for (const [workflow, data, executionId] of started)
    await requestWorkflows(origin, `/${workflow}/execute`, { input: data, options: { executionId } });
  await runHeld(origin);
}

/** Starts an execution whose step ends when its gate opens. */
async function runHeld(origin: string): Promise<void> {
  void requestWorkflows(origin, '/gated/execute', { input: { gate: 'openapi' }, options: { executionId: 'runs' } });
  const signal = await gateOf('openapi').entered;
  signal.addEventListener('abort', () => gateOf('openapi').open());
}

async function statusOf(origin: string, path: string, init?: RequestInit): Promise<number> {
  const response = await fetch(`${origin}${path}`, init);
  await response.text();
  return response.status;
}

describe('each reply that the document lists', () => {
  it.each(documentedRequests)('occurs as documented: $status $path', async ({ init, path, status }) => {
    expect(await statusOf(server.origin, path, init)).toBe(status);
  });

  it('occurs for a user who resumes a wait for an event of the app', async () => {
    const { executionId } = await server.runtime.execute('payment', {}, { userId: 'ada' });
    const { headers, ...init } = json({ resumeData: 1 });
    const path = `/workflows/payment/executions/${executionId}/resume`;
    const reply = await fetch(`${server.origin}${path}`, { ...init, headers: { ...headers, 'x-user': 'ada' } });
    expect(reply.status).toBe(403);
  });

  it('of a redelivered webhook', async () => {
    const reply = await fetch(`${server.origin}/webhooks/deliveries`);
    const { data } = (await reply.json()) as {
      readonly data: { readonly deliveries: readonly { readonly id: string }[] };
    };
    const path = redelivery.replace('unknown', data.deliveries[0]?.id ?? '');
    expect(await statusOf(server.origin, path, bare)).toBe(200);
  });

  it('occurs for a bulk operation that runs, and that is cancelled', async () => {
    await requestWorkflows(server.origin, '/checked/execute', { input: {} });
    const start = json({ operation: 'resume', resumeData: 1, filter: { workflowId: 'checked' } });
    const { data } = (await (await fetch(`${server.origin}${bulk}`, start)).json()) as { data: { bulkId: string } };
    await gateOf('answer').entered;
    expect(await statusOf(server.origin, `${bulk}/${data.bulkId}`)).toBe(200);
    expect(await statusOf(server.origin, `${bulk}/${data.bulkId}/cancel`, json({ reason: 'x' }))).toBe(200);
    gateOf('answer').open();
  });

  it.each(approvalLists)('occurs for an approval of %s, which is answered once', async (list) => {
    const memory = createMemory();
    const execute = (): string => 'paid';
    const settle = createTool({
      name: 'settle',
      description: 'Pays',
      input: Type.Object({}),
      needsApproval: { always: true },
      execute,
    });
    const model = scriptedModel({ toolCalls: [{ toolName: 'settle', input: {} }] }, 'Paid.');
    const teller = new Agent({ id: 'teller', model, tools: [settle], onBusy: 'reject' });
    const paying = await serve([], { agents: [...served, teller], memory }, check);
    const question = json({ input: 'pay', options: { userId: 'ada', conversationId: 'bill' } });
    await (await fetch(`${paying.origin}/agents/teller/text`, question)).text();
    const { data } = (await (await fetch(`${paying.origin}${list}`)).json()) as {
      data: { approvals: readonly { id: string }[] };
    };
    const always = { scope: 'conversation' };
    const answer = json({ id: data.approvals[0]?.id, conversationId: 'bill', approved: true, always });
    const ask = (): Promise<number> => statusOf(paying.origin, `${list}/answer`, answer);
    const statuses = await Promise.all(Array.from({ length: 5 }, ask));
    expect(statuses.map(String).toSorted()).toEqual(['200', '404', '404', '404', '404']);
    const listed = await (await fetch(`${paying.origin}${list}/grants`)).json();
    const { grants } = (listed as { data: { grants: readonly { id: string }[] } }).data;
    const revoke = `${list}/grants/${grants[0]?.id}`;
    expect(await statusOf(paying.origin, revoke, { method: 'DELETE' })).toBe(200);
    await paying.close();
  });

  it('occurs for the page of an answer link', async () => {
    const signing = createWorkflow({ id: 'signing', resumeSchema: Type.Object({ approved: Type.Boolean() }) }).andThen({
      id: 'sign',
      execute: ({ resumeData, suspend }) => resumeData ?? suspend('Sign', {}, { approvers: ['grace'] }),
    });
    let isAway = false;
    const storage = createInMemoryStorage();
    const { executions } = storage;
    const find = executions.find.bind(executions);
    executions.find = (...key) => (isAway ? Promise.reject(new Error('no')) : find(...key));
    const linked = await serve([], { workflows: [signing], storage, limits: { bodyBytes: 16_000 } }, check);
    const url = '/approvals/link';
    await linked.runtime.execute('signing', {}, { executionId: 's-1' });
    const request = { executionId: 's-1', stepId: 'sign' };
    const { search, searchParams } = new URL(await linked.approvals.link(request, { to: 'grace', expiryMs: 60_000 }));
    const token = searchParams.get('token') ?? '';
    const send = (fields: Record<string, string>): Promise<number> =>
      statusOf(linked.origin, url, { method: 'POST', body: new URLSearchParams({ token, ...fields }) });
    const page = await (await fetch(`${linked.origin}${url}${search}`)).text();
    const form = /name="form"\s+value="([^"]*)"/.exec(page)?.[1] ?? '';
    expect(await statusOf(linked.origin, url)).toBe(404);
    expect(await send({ token: 'forged' })).toBe(404);
    expect(await send({ form: 'old', decision: 'approve' })).toBe(409);
    expect(await send({ form, decision: 'perhaps' })).toBe(422);
    expect(await send({ form, reason: 'x'.repeat(17_000) })).toBe(413);
    expect(await statusOf(linked.origin, url, json({ token }))).toBe(415);
    isAway = true;
    expect(await statusOf(linked.origin, url + search)).toBe(500);
    expect(await send({ form, decision: 'approve' })).toBe(500);
    isAway = false;
    expect(await send({ form, decision: 'approve' })).toBe(200);
    for (const init of [{}, { method: 'POST', body: new URLSearchParams({ token }) }])
      expect(await statusOf(linked.origin, tooLong(url), init)).toBe(414);
    await linked.close();
  });

  it('occurs while an answer is generated', async () => {
    const question = { ...input, options: { conversationId: 'talk', userId: 'ada' } };
    const chat = json({ ...question, options: { ...question.options, resumable: true } });
    const asking = fetch(`${server.origin}/agents/hanging/chat`, chat);
    expect((await asking).status).toBe(200);
    const [plain, forObject] = [json(question), json({ ...question, schema: { type: 'object' } })];
    const refused = await Promise.all([
      statusOf(server.origin, '/agents/hanging/chat', chat),
      statusOf(server.origin, '/agents/hanging/text', plain),
      statusOf(server.origin, '/agents/hanging/stream', plain),
      statusOf(server.origin, '/agents/hanging/object', forObject),
      statusOf(server.origin, '/agents/hanging/stream-object', forObject),
    ]);
    expect(refused).toEqual([409, 409, 409, 409, 409]);
    const following = await fetch(`${server.origin}${followed}`);
    expect(following.status).toBe(200);
    expect(await statusOf(server.origin, stopped, bare)).toBe(200);
    expect(await following.text()).toBe(await (await asking).text());
  });

  it('occurs when a caller has too many streams', async () => {
    const full = await serve([], { agents: served, workflows, limits: { streamsPerCaller: 0 } }, check);
    for (const [path, init] of streams) expect(await statusOf(full.origin, path, init)).toBe(429);
    await full.close();
  });

  it('occurs for routes that change files of the app', async () => {
    const app = await openOutdatedApp();
    const { directory, registry } = app;
    const options = { updates: { directory, registry: registry.url }, limits: { bodyBytes: 16_000 } };
    const changing = await serve([], options, check);
    const ask = (path: string, init?: RequestInit): Promise<number> => statusOf(changing.origin, path, init);
    for (const { init, path, status } of refusedUpdates) expect(await ask(path, init)).toBe(status);
    expect(await ask('/updates')).toBe(200);
    for (const path of ['/updates', '/updates/@halyard%2Fcore']) {
      await app.outdate();
      const statuses = await Promise.all([ask(path, bare), ask(path, bare)]);
      expect(statuses.map(String).toSorted()).toEqual(['200', '409']);
    }
    expect(await ask('/setup-observability', json(serviceKeys))).toBe(200);
    await app.linkEnv();
    expect(await ask('/setup-observability', json(serviceKeys))).toBe(409);
    await app.outdate();
    await registry.close();
    for (const path of ['/updates', '/updates/@halyard%2Fcore']) expect(await ask(path, bare)).toBe(500);
    vi.stubEnv('NODE_ENV', 'production');
    for (const path of ['/updates', '/updates/@halyard%2Fcore']) expect(await ask(path, bare)).toBe(403);
    expect(await ask('/setup-observability', json(serviceKeys))).toBe(403);
    vi.unstubAllEnvs();
    await changing.close();
    await app.remove();
  });

  it('occurs when the storage is unreachable', async () => {
    const storage = { ...createInMemoryStorage(), check: () => Promise.reject(new Error('no')) };
    const away = await serve([], { storage }, check);
    expect(await statusOf(away.origin, '/readyz')).toBe(503);
    await away.close();
  });

  it('occurs while the server shuts down', async () => {
    const closing = await serve([], { agents: served }, check);
    const client = new AbortController();
    const running = await fetch(`${closing.origin}/agents/hanging/stream`, { ...json(input), signal: client.signal });
    const closed = closing.close();
    const guarded = get.filter(
      (path) => !['/', '/doc', '/healthz', '/metrics', '/ui', '/agents/plain/card'].includes(path),
    );
    for (const path of guarded) expect(await statusOf(closing.origin, path)).toBe(503);
    for (const [path, body] of post) expect(await statusOf(closing.origin, path, json(body))).toBe(503);
    expect(await statusOf(closing.origin, followed)).toBe(503);
    expect(await statusOf(closing.origin, stopped, bare)).toBe(503);
    expect(await statusOf(closing.origin, retry, bare)).toBe(503);
    expect(await statusOf(closing.origin, `${execution}/stream-ticket`, bare)).toBe(503);
    expect(await statusOf(closing.origin, '/workflows/events', json({ name: 'paid' }))).toBe(503);
    for (const [path, body] of bulkStarts) expect(await statusOf(closing.origin, path, json(body))).toBe(503);
    const form = { method: 'POST', body: new URLSearchParams() };
    expect(await statusOf(closing.origin, '/approvals/link', form)).toBe(503);
    expect(await statusOf(closing.origin, redelivery, bare)).toBe(503);
    expect(await statusOf(closing.origin, '/hooks/open', json({}))).toBe(503);
    for (const path of ['/webhooks/deliveries', '/audit', '/audit/export'])
      expect(await statusOf(closing.origin, path)).toBe(503);
    for (const list of approvalLists) {
      expect(await statusOf(closing.origin, list)).toBe(503);
      expect(await statusOf(closing.origin, `${list}/answer`, json(lateAnswer))).toBe(503);
      expect(await statusOf(closing.origin, `${list}/grants`)).toBe(503);
      expect(await statusOf(closing.origin, `${list}/grants/unknown`, { method: 'DELETE' })).toBe(503);
    }
    expect(await statusOf(closing.origin, `${bulk}/unknown`)).toBe(503);
    expect(await statusOf(closing.origin, `${bulk}/unknown/cancel`, json({}))).toBe(503);
    for (const { init, path } of memoryRequestsOfAClosingServer)
      expect(await statusOf(closing.origin, path, init)).toBe(503);
    expect(await statusOf(closing.origin, '/updates')).toBe(503);
    for (const path of ['/updates', '/updates/nothing']) expect(await statusOf(closing.origin, path, bare)).toBe(503);
    expect(await statusOf(closing.origin, '/setup-observability', json(serviceKeys))).toBe(503);
    for (const path of observabilityPaths) expect(await statusOf(closing.origin, path)).toBe(503);
    client.abort();
    await expect(running.text()).rejects.toThrow('aborted');
    await closed;
  });

  it.each([
    ['no HTTP', 'nonsense\r\n\r\n', 400],
    ['headers too large', `GET /agents HTTP/1.1\r\nhost: localhost\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  ])('occurs, as `default`, for invalid HTTP: %s', async (_, bytes, status) => {
    const [head = '', body = ''] = (await exchange(server.port, bytes)).split('\r\n\r\n');
    const [line = '', ...headers] = head.split('\r\n');
    expect(line).toContain(String(status));
    const named = Object.fromEntries(headers.map((header) => header.split(': ', 2)));
    expect(check.fault('GET', '/agents', { status, headers: named, body })).toBeUndefined();
  });

  it('has occurred, and no undocumented reply has', () => {
    expect([...check.seen].toSorted()).toEqual([...check.documented].toSorted());
  });
});
