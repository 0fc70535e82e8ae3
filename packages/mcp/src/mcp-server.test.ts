import { ConfigurationError } from '@halyard/contracts';
import { Agent, createTool, createWorkflow, type Tool } from '@halyard/core';
import type { McpServer } from '@halyard/core/server';
import { scriptedModel } from '@halyard/core/testing';
import { createServer, type ServerOptions } from '@halyard/server-fastify';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { mcpClient } from './mcp-client.ts';
import { mcpServer, type McpServerOptions } from './mcp-server.ts';
import { openServer } from './testing/open-server.ts';

const city = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const;
const weather = createTool({
  name: 'weather',
  description: 'The weather in a city',
  input: city,
  output: { type: 'object', properties: { sky: { type: 'string' }, for: { type: ['string', 'null'] } } } as const,
  execute: (_, { user, userId }) => ({
    sky: 'clear',
    for: typeof user?.email === 'string' ? `${userId} ${user.email}` : null,
  }),
});
const broken = tool('broken', () => {
  throw new Error('password of the database: 1234');
});
const pay = createTool({ name: 'pay', description: 'Pays', input: city, needsApproval: true, execute: () => 'paid' });
const asks = createTool({ ...plain('asks'), needsApproval: () => true, execute: () => 'done' });
const writer = new Agent({ id: 'writer', name: 'Writer', description: 'Writes', model: scriptedModel('A poem.') });
const buyer = new Agent({
  id: 'buyer',
  model: scriptedModel({ toolCalls: [{ toolName: 'pay', input: { city: 'Rome' } }] }),
  tools: [pay],
});
const double = createWorkflow({
  id: 'double',
  name: 'Double',
  purpose: 'Doubles a number.',
  input: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const,
}).andThen({ id: 'do', execute: ({ data }) => (data as { n: number }).n * 2 });
const approve = createWorkflow({ id: 'approve', name: 'Approve', input: { type: 'string' } as const }).andThen({
  id: 'ask',
  execute: ({ suspend }) => suspend('wants a signature'),
});
const failing = createWorkflow({ id: 'failing', name: 'Failing' }).andThen({
  id: 'boom',
  execute: () => {
    throw new Error('secret');
  },
});

function plain(name: string) {
  return { name, description: name, input: { type: 'object' } as const };
}

function tool(name: string, execute: Parameters<typeof createTool>[0]['execute'] & object): Tool {
  return createTool({ ...plain(name), execute });
}

const options: McpServerOptions = {
  id: 'shop',
  name: 'Shop',
  version: '1.4.0',
  description: 'What the shop can do.',
  agents: [writer, buyer],
  tools: [weather, broken, pay, asks],
  workflows: [double, approve, failing],
};

async function serve(server: McpServer, more: ServerOptions = {}): Promise<string> {
  const workflows = [double, approve, failing];
  return openServer({ workflows, mcpServers: [server], ...more });
}

async function connect(url: string, mode: 'auto' | 'legacy' = 'auto', headers: Record<string, string> = {}) {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  onTestFinished(() => client.close());
  return client;
}

function call(client: Client, name: string, input: Record<string, unknown> = {}) {
  return client.callTool({ name, arguments: input });
}

describe.for(['auto', 'legacy'] as const)('for a client that connects in the mode %s', (mode) => {
  it('lists agents, tools and workflows as tools', async () => {
    const client = await connect(`${await serve(mcpServer(options))}/mcp/shop`, mode);
    expect(client.getServerVersion()).toMatchObject({ name: 'Shop', version: '1.4.0' });
    expect(client.getInstructions()).toBe('What the shop can do.');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'ask_writer',
      'ask_buyer',
      'weather',
      'broken',
      'asks',
      'run_double',
      'run_approve',
      'run_failing',
    ]);
    expect(tools.find(({ name }) => name === 'weather')).toMatchObject({ inputSchema: city });
    expect(tools.find(({ name }) => name === 'run_approve')?.inputSchema).toMatchObject({ required: ['input'] });
  });

  it('runs a tool, an agent and a workflow', async () => {
    const client = await connect(`${await serve(mcpServer(options))}/mcp/shop`, mode);
    expect(await call(client, 'weather', { city: 'Rome' })).toMatchObject({
      structuredContent: { sky: 'clear', for: null },
    });
    expect(await call(client, 'ask_writer', { task: 'Write' })).toMatchObject({ content: [{ text: 'A poem.' }] });
    expect(await call(client, 'run_double', { n: 21 })).toMatchObject({
      structuredContent: { status: 'completed', result: 42 },
    });
  });

  it('records a tool call in the trace of the client', async () => {
    const origin = await serve(mcpServer(options));
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
    await call(await connect(`${origin}/mcp/shop`, mode, { traceparent }), 'weather', { city: 'Rome' });

    const trace = await fetch(`${origin}/observability/traces/${traceId}`);
    expect(await trace.json()).toMatchObject({
      data: { spans: [{ name: 'execute_tool weather', parentSpanId: 'b7ad6b7169203331', status: { code: 0 } }] },
    });
  });

  it('reports that a workflow is suspended, with the id to resume it by', async () => {
    const client = await connect(`${await serve(mcpServer(options))}/mcp/shop`, mode);
    expect(await call(client, 'run_approve', { input: 'order' })).toMatchObject({
      structuredContent: {
        status: 'suspended',
        executionId: expect.any(String),
        suspension: { reason: 'wants a signature' },
      },
    });
  });

  it('aborts a tool whose client disconnects', async () => {
    const begun = Promise.withResolvers<void>();
    const stopped = Promise.withResolvers<void>();
    const hang = tool('hang', async (_, { signal }) => {
      signal.addEventListener('abort', () => stopped.resolve());
      begun.resolve();
      await stopped.promise;
    });
    const client = await connect(`${await serve(mcpServer({ id: 'x', version: '1', tools: [hang] }))}/mcp/x`, mode);
    const controller = new AbortController();
    const answer = client.callTool({ name: 'hang' }, { signal: controller.signal });
    await begun.promise;
    controller.abort();
    await expect(answer).rejects.toThrow();
    if (mode === 'legacy') await client.close();
    await stopped.promise;
  });
});

it('refuses tools and agents that need an approval, and gives the reason', async () => {
  const client = await connect(`${await serve(mcpServer(options))}/mcp/shop`);
  const refusal = "needs a person's approval, which cannot be given over MCP";
  for (const [name, input, what] of [
    ['pay', { city: 'Rome' }, 'Tool "pay"'],
    ['asks', {}, 'Tool "asks"'],
    ['ask_buyer', { task: 'Pay' }, 'Tool "pay" of agent "buyer"'],
  ] as const) {
    expect(await call(client, name, input)).toMatchObject({ isError: true, content: [{ text: `${what} ${refusal}` }] });
  }
});

it('reports invalid arguments, and no details of other errors', async () => {
  const client = await connect(`${await serve(mcpServer(options))}/mcp/shop`);
  const texts = [];
  for (const name of ['weather', 'broken', 'run_double', 'ask_writer', 'run_failing']) {
    const { content, isError } = await call(client, name);
    expect(isError).toBe(true);
    texts.push(content[0]?.type === 'text' ? content[0].text : '');
  }
  expect(texts).toEqual([
    "input must have required property 'city'",
    'Tool "broken" failed',
    "input must have required property 'n'",
    'input/task must be string',
    expect.stringMatching(/^Workflow "Failing" failed, execution [\w-]+: Step "boom" failed$/),
  ]);
  await expect(call(client, 'nothing')).rejects.toThrow('Tool not found: nothing');
});

it('accepts verified users, and passes them to tools', async () => {
  const provider = {
    type: 'test',
    verifyToken: async (token: string) => (token === 'ada' ? { id: 'ada', email: 'ada@x.org' } : null),
  };
  const origin = await serve(mcpServer(options), { auth: { provider, publicRoutes: [] } });
  const url = `${origin}/mcp/shop`;
  const client = await connect(url, 'auto', { authorization: 'Bearer ada' });
  expect(await call(client, 'weather', { city: 'Rome' })).toMatchObject({
    structuredContent: { for: 'ada ada@x.org' },
  });
  const message = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
  expect((await fetch(url, message)).status).toBe(401);
  expect((await fetch(`${origin}/mcp/servers`, { headers: { authorization: 'Bearer ada' } })).status).toBe(401);
});

it('can be used by an MCP client of another app', async () => {
  const url = `${await serve(mcpServer(options))}/mcp/shop`;
  const client = mcpClient({ id: 'shop', url });
  onTestFinished(() => client.close());
  expect((await client.listTools()).map(({ name }) => name)).toContain('run_double');
});

it('is listed with the other servers, and outside servers are not served', async () => {
  const outside = mcpClient({ id: 'outside', command: '/nowhere/program' });
  const origin = await serve(mcpServer(options), { mcpServers: [mcpServer(options), outside] });
  const get = async (path: string, init?: RequestInit) => {
    const reply = await fetch(`${origin}${path}`, init);
    return { status: reply.status, code: reply.headers.get('x-error-code'), body: await reply.json() };
  };
  const shop = { id: 'shop', name: 'Shop', version: '1.4.0', url: `${origin}/mcp/shop`, isServedHere: true };
  expect((await get('/mcp/servers')).body).toMatchObject({
    data: [shop, { id: 'outside', version: null, transport: 'stdio', url: null, isServedHere: false }],
  });
  expect((await get('/mcp/servers/shop')).body).toMatchObject({ data: shop });
  const { body } = await get('/mcp/servers/shop/tools');
  expect(body).toMatchObject({
    data: expect.arrayContaining([expect.objectContaining({ name: 'ask_writer', outputSchema: null })]),
  });
  expect(await get('/mcp/servers/unknown/tools')).toMatchObject({ status: 404, code: 'MCP_SERVER_NOT_FOUND' });
  expect(await get('/mcp/servers/outside/tools')).toMatchObject({ status: 503, code: 'MCP_SERVER_UNAVAILABLE' });
  const message = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
  for (const id of ['outside', 'unknown'])
    expect(await get(`/mcp/${id}`, message)).toMatchObject({ status: 404, code: 'MCP_SERVER_NOT_FOUND' });
  expect((await fetch(`${origin}/mcp/shop`)).status).toBe(405);
  expect((await fetch(`${origin}/mcp/shop`, { method: 'DELETE' })).status).toBe(405);
});

it('applies the body limits of the server', async () => {
  const origin = await serve(mcpServer(options), { limits: { bodyBytes: 8_000 } });
  const client = await connect(`${origin}/mcp/shop`);
  await expect(call(client, 'weather', { city: 'x'.repeat(1_000) })).rejects.toThrow();
  expect(await call(client, 'weather', { city: 'Rome' })).toMatchObject({ structuredContent: { sky: 'clear' } });
});

it('refuses invalid options', async () => {
  const byClient = createTool(plain('client'));
  expect(() => mcpServer({ id: 'x', version: '1', tools: [byClient] })).toThrow(ConfigurationError);
  expect(() => mcpServer({ id: 'x', version: '1', tools: [weather, weather] })).toThrow('Two tools of MCP server "x"');
  expect(() => mcpServer({ id: 'servers', version: '1' })).toThrow(ConfigurationError);
  const mcpServers = [mcpServer({ id: 'x', version: '1', workflows: [double] })];
  await expect(createServer({ mcpServers, logger: 'silent' })).rejects.toThrow('pass it to the option `workflows` too');
});
