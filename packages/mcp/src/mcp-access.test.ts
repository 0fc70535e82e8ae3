import { request } from 'node:http';
import { Agent, createTool, createWorkflow } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import type { ServerOptions } from '@halyard/server-fastify';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { mcpServer } from './mcp-server.ts';
import { openServer } from './testing/open-server.ts';

const whoami = createTool({
  name: 'whoami',
  description: 'Who calls',
  input: { type: 'object' } as const,
  execute: (_, { userId }) => `user ${userId ?? 'nobody'}`,
});
const provider = { type: 'test', verifyToken: (token: string) => (token === 'ada' ? { id: 'ada' } : null) };
const ada = { authorization: 'Bearer ada' };
const key = { 'x-console-access-key': 'the key of the operator' };
const consoleKey = key['x-console-access-key'];
const listing = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const runsTools = 'POST /tools/:name/execute';

const secret = 'a secret of more than thirty-two bytes';

function inProduction(): void {
  vi.stubEnv('NODE_ENV', 'production');
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
}

async function serve(options: ServerOptions = {}): Promise<string> {
  return openServer({ mcpServers: [mcpServer({ id: 'shop', version: '1.0.0', tools: [whoami] })], ...options });
}

/**
 * The status and body of a tool call. Any header may be sent, also those that `fetch` sets itself.
 */
async function callTool(origin: string, headers: Readonly<Record<string, string>> = {}, body: unknown = message()) {
  const { promise, reject, resolve } = Promise.withResolvers<{
    readonly status: number | undefined;
    readonly code: unknown;
    readonly text: string;
  }>();
  const sent = request(`${origin}/mcp/shop`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
  });
  sent.on('error', reject);
  sent.on('response', (reply) => {
    let text = '';
    reply.setEncoding('utf8');
    reply.on('data', (chunk: string) => (text += chunk));
    reply.on('end', () => resolve({ status: reply.statusCode, code: reply.headers['x-error-code'], text }));
  });
  sent.end(JSON.stringify(body));
  return promise;
}

function message() {
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'whoami', arguments: {} } };
}

describe('a call', () => {
  it('needs a token in legacy mode, and runs for that user', async () => {
    const origin = await serve({ auth: { mode: 'legacy', provider, rejectedPerMinute: 2 } });
    expect(await callTool(origin)).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' });
    expect(await callTool(origin, { authorization: 'Bearer eve' })).toMatchObject({ status: 401 });
    expect(await callTool(origin, key)).toMatchObject({ status: 401 });
    expect(await callTool(origin, {}, [listing, message()])).toMatchObject({ status: 401 });
    expect(await callTool(origin, ada)).toMatchObject({ status: 200, text: expect.stringContaining('user ada') });
    // Guesses are limited, though some messages need no token.
    expect(await callTool(origin, { authorization: 'Bearer eve' }, listing)).toMatchObject({ status: 401 });
    expect(await callTool(origin, { authorization: 'Bearer eve' }, listing)).toMatchObject({ status: 429 });
  });

  it('needs none in legacy mode where its agent, tool or workflow is public', async () => {
    const origin = await serve({ auth: { mode: 'legacy', provider, publicRoutes: [runsTools] } });
    expect(await callTool(origin)).toMatchObject({ status: 200, text: expect.stringContaining('user nobody') });
    expect(await callTool(origin, ada)).toMatchObject({ status: 200, text: expect.stringContaining('user ada') });
  });

  it.each(['development', 'production'])(
    'is the only message that needs a token in legacy mode, unless `defaultPrivate`: %s',
    async (environment) => {
      vi.stubEnv('NODE_ENV', environment);
      onTestFinished(() => {
        vi.unstubAllEnvs();
      });
      const clientInfo = { name: 'test', version: '1.0.0' };
      const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
      const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params };
      const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };
      const open = await serve({ auth: { mode: 'legacy', provider } });
      const closed = await serve({ auth: { mode: 'legacy', provider, defaultPrivate: true } });
      for (const [body, status] of [
        [initialize, 200],
        [initialized, 202],
        [listing, 200],
      ] as const) {
        expect(await callTool(open, {}, body)).toMatchObject({ status });
        expect(await callTool(open, ada, body)).toMatchObject({ status });
        expect(await callTool(closed, {}, body)).toMatchObject({ status: 401 });
        expect(await callTool(closed, ada, body)).toMatchObject({ status });
      }
      const bypass = { 'x-service-dev': 'true' };
      expect(await callTool(open, bypass)).toMatchObject({ status: environment === 'production' ? 401 : 200 });
      const elsewhere = { ...bypass, 'sec-fetch-site': 'cross-site' };
      expect(await callTool(open, elsewhere)).toMatchObject({ status: 403 });
    },
  );

  it.each([
    ['one message', message()],
    ['several messages', [message(), message()]],
  ])('of a tool that is reserved for the console is refused to a user: %s', async (_, body) => {
    const auth = { provider, consoleKey, consoleRoutes: [runsTools] };
    const origin = await serve({ auth });
    expect(await callTool(origin, ada, body)).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' });
    expect(await callTool(origin, ada, listing)).toMatchObject({ status: 200 });
  });

  it('of a tool that is reserved for the console is accepted with the key, where the key opens MCP too', async () => {
    const consoleRoutes = [runsTools, 'POST /mcp/:serverId'];
    const origin = await serve({ auth: { provider, consoleKey, consoleRoutes } });
    expect(await callTool(origin, key)).toMatchObject({ status: 200 });
    expect(await callTool(origin, ada)).toMatchObject({ status: 401 });
  });

  it('of a tool that is reserved for the console is refused to everyone else, where MCP is public', async () => {
    const auth = { provider, consoleKey, consoleRoutes: [runsTools], publicRoutes: ['POST /mcp/:serverId'] };
    expect(await callTool(await serve({ auth }))).toMatchObject({ status: 401 });
  });
});

describe('the option `access`', () => {
  const levels = ['users', 'operators', 'server'] as const;
  const tools = levels.map((access) =>
    createTool({ name: access, access, description: '', input: { type: 'object' } as const, execute: () => 'done' }),
  );
  const agents = levels.map((access) => new Agent({ id: access, access, model: scriptedModel(() => 'Hi') }));
  const workflows = levels.map((access) =>
    createWorkflow({ id: access, access }).andThen({ id: 'do', execute: () => 'done' }),
  );
  const namesOf = (level: string) => [`ask_${level}`, level, `run_${level}`];
  const open = (auth?: ServerOptions['auth']) =>
    openServer({
      agents,
      tools,
      workflows,
      mcpServers: [mcpServer({ id: 'shop', version: '1.0.0', agents, tools, workflows })],
      ...(auth !== undefined && { auth }),
    });
  const bypass = { 'x-service-dev': 'true' };
  const forKey = { provider, consoleKey, consoleRoutes: ['POST /mcp/:serverId'] };
  const reached = { users: ['users'], operators: ['users', 'operators'] } as const;

  it.each([
    ['a user', { provider }, ada, reached.users],
    ['the dev bypass', { provider }, bypass, reached.operators],
    ['the console key', forKey, key, reached.operators],
    ['a user in legacy mode', { mode: 'legacy', provider }, ada, reached.users],
    ['nobody in legacy mode', { mode: 'legacy', provider }, {}, reached.users],
    ['anyone without access control', undefined, {}, reached.operators],
  ] as const)('lists and calls for %s what they may reach', async (_, auth, headers, expected) => {
    const origin = await open(auth);
    const listed = await callTool(origin, headers, listing);
    const data = /^data: (.*)$/m.exec(listed.text)?.[1] ?? listed.text;
    const { result } = JSON.parse(data) as { result: { tools: { name: string }[] } };
    expect(result.tools.map(({ name }) => name).toSorted()).toEqual(expected.flatMap(namesOf).toSorted());

    const call = async (name: string) =>
      (await callTool(origin, headers, { ...message(), params: { name, arguments: { task: 'x' } } })).text;
    for (const level of levels.filter((each) => !(expected as readonly string[]).includes(each)))
      for (const name of namesOf(level))
        expect(await call(name)).toBe((await call('unknown')).replace('unknown', name));
    if (Object.keys(headers).length > 0 || auth === undefined)
      for (const name of expected.flatMap(namesOf)) expect(await call(name)).not.toContain('rror');
  });

  it('leaves out of the list for the console what nobody may call', async () => {
    const origin = await open({ provider, consoleKey });
    const reply = await fetch(`${origin}/mcp/servers/shop/tools`, { headers: key });
    const { data } = (await reply.json()) as { data: { name: string }[] };
    expect(data.map(({ name }) => name).toSorted()).toEqual(reached.operators.flatMap(namesOf).toSorted());
  });
});

describe('a page of another origin', () => {
  const page = { origin: 'https://elsewhere.test' };

  it('is refused, also with a token', async () => {
    const origin = await serve({ auth: { provider } });
    expect(await callTool(origin, { ...ada, ...page })).toMatchObject({ status: 403, code: 'ORIGIN_NOT_ALLOWED' });
    const open = await serve();
    expect(await callTool(open, page)).toMatchObject({ status: 403, code: 'ORIGIN_NOT_ALLOWED' });
    expect(await callTool(open, { origin: open })).toMatchObject({ status: 200 });
  });

  it('is accepted if `cors` allows its origin', async () => {
    const origin = await serve({ cors: { origin: [page.origin] } });
    expect(await callTool(origin, page)).toMatchObject({ status: 200 });
    expect(await callTool(origin, { origin: 'https://other.test' })).toMatchObject({ status: 403 });
  });
});

describe('a host name that resolves to this computer by DNS rebinding', () => {
  const rebound = { host: 'evil.test:3141', origin: 'http://evil.test:3141', 'sec-fetch-site': 'same-origin' };

  it('is refused', async () => {
    const origin = await serve();
    expect(await callTool(origin, rebound)).toMatchObject({ status: 403, code: 'HOST_NOT_ALLOWED' });
    expect(await callTool(origin, { host: 'localhost.evil.test' })).toMatchObject({ status: 403 });
    const known = await serve({ allowedHosts: ['evil.test'] });
    expect(await callTool(known, rebound)).toMatchObject({ status: 200 });
    for (const host of ['localhost', 'LOCALHOST:3141', 'shop.localhost:3141', '127.0.0.1', '[::1]:3141'])
      expect(await callTool(origin, { host })).toMatchObject({ status: 200 });
  });

  it('is refused on a public route and in production too', async () => {
    const auth = { provider, publicRoutes: ['POST /mcp/:serverId', runsTools] };
    const refused = { status: 403, code: 'HOST_NOT_ALLOWED' };
    expect(await callTool(await serve({ auth }), rebound)).toMatchObject(refused);
    inProduction();
    expect(await callTool(await serve({ host: '127.0.0.1', secret }), rebound)).toMatchObject(refused);
  });

  it('is accepted with a token, and behind a proxy', async () => {
    const origin = await serve({ auth: { provider } });
    expect(await callTool(origin, { ...ada, ...rebound })).toMatchObject({ status: 200 });
    inProduction();
    expect(await callTool(await serve({ host: '127.0.0.1', secret, trustProxy: 'loopback' }), rebound)).toMatchObject({
      status: 200,
    });
  });
});
