import webSockets from '@fastify/websocket';
import type { AuthProvider } from '@halyard/contracts';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import Fastify from 'fastify';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createServerWithInternals } from '../../create-server.ts';
import { halyard, verifiedUser } from '../../index.ts';
import type { ServerOptions } from '../../server-options.ts';
import { consoleKey, provider, tokenOf } from '../../testing/credentials.ts';
import { exchange, unreachableLimits } from '../../testing/serve.ts';
import { connectTo, handshake, refusalOf } from '../../testing/sockets.ts';
import type { Internals } from '../internals.ts';
import { resolvedRoute } from './access-hook.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
  vi.unstubAllEnvs();
});

const ada = { authorization: `Bearer ${tokenOf({ id: 'ada' })}` };
const wrong = { authorization: 'Bearer wrong' };
const auth = { provider, consoleKey } as const;

/** A server whose log lines are recorded. */
async function logging(options: ServerOptions, internals: Internals = {}) {
  const lines: string[] = [];
  const logger = { level: 'debug', stream: { write: (line: string) => void lines.push(line) } };
  const server = await createServerWithInternals(
    { signals: false, enableSwaggerUI: false, logger, limits: unreachableLimits, ...options },
    internals,
  );
  closing.push(server.close);
  const warnings = (): readonly string[] =>
    lines
      .map((line) => JSON.parse(line) as { level: number; msg: string })
      .filter(({ level }) => level === 40)
      .map(({ msg }) => msg);
  return { ...server, text: () => lines.join(''), warnings };
}

describe('rejected credentials', () => {
  it('are limited per address and minute, while valid ones are still accepted', async () => {
    let now = 0;
    const { app } = await logging({ auth: { ...auth, rejectedPerMinute: 2 } }, { clock: { now: () => now } });
    app.get('/mine', (request) => verifiedUser(request));
    const get = (headers: object) => app.inject({ url: '/mine', headers: { ...headers } });
    for (const status of [401, 401, 429, 429]) expect((await get(wrong)).statusCode).toBe(status);
    now = 10_000;
    const refused = await get({ 'x-console-access-key': 'wrong', ...wrong });
    expect(refused.headers).toMatchObject({ 'retry-after': '50', 'x-error-code': 'TOO_MANY_REJECTIONS' });
    expect(refused.json()).toEqual({ success: false, error: 'Too many rejected credentials from this address' });
    expect((await get(ada)).json()).toEqual({ id: 'ada' });
    // A request without credentials is not a guess.
    expect((await get({})).statusCode).toBe(401);
    now = 60_000;
    expect((await get(wrong)).statusCode).toBe(401);
  });

  it('are counted together for the addresses of one IPv6 network', async () => {
    const { app } = await logging({ auth: { ...auth, rejectedPerMinute: 1 } });
    const get = (remoteAddress: string) => app.inject({ url: '/agents?key=wrong', remoteAddress });
    expect((await get('2001:db8::1')).statusCode).toBe(401);
    expect((await get('2001:db8::2')).statusCode).toBe(429);
    expect((await get('2001:db8:0:1::1')).statusCode).toBe(401);
  });

  it('include wrong console keys', async () => {
    const { app } = await logging({ auth: { ...auth, rejectedPerMinute: 1 } });
    const get = (key: string) => app.inject({ url: `/agents?key=${key}` });
    expect((await get('wrong')).statusCode).toBe(401);
    expect((await get('wrong')).statusCode).toBe(429);
    expect((await get(consoleKey)).statusCode).toBe(200);
  });
});

it('never writes credentials to the log or to replies', async () => {
  const { app, text } = await logging({ auth });
  app.get('/log', (request) => {
    request.log.info({ headers: request.headers, req: request }, 'seen');
    return 'ok';
  });
  const token = ada.authorization;
  await app.inject({ url: `/agents?key=${consoleKey}`, headers: ada });
  await app.inject({ url: `/agents?k%65y=${consoleKey}` });
  await app.inject({ url: '/log', headers: { ...ada, 'x-console-access-key': consoleKey } });
  await app.inject({ url: '/log', headers: { authorization: `${token}x` } });
  const lost = await app.inject({ url: `/nowhere?key=${consoleKey}`, headers: ada });
  expect(lost.body).toBe('{"success":false,"error":"No route for GET /nowhere"}');
  expect(text()).toContain('/agents?key"');
  expect(text()).toContain('"msg":"seen"');
  expect(text()).not.toContain(consoleKey);
  expect(text()).not.toContain(token.slice(7, 40));
});

it('refuses before the body is read, independent of the error handler of the app', async () => {
  const { app } = await logging({ auth });
  const parse = vi.fn<(request: unknown, body: unknown, done: (error: null, body: string) => void) => void>(
    (_request, _body, done) => done(null, ''),
  );
  app.register(async (scope) => {
    scope.addContentTypeParser('text/mine', parse);
    scope.setErrorHandler((_error, _request, reply) => reply.code(200).send('all is well'));
    scope.post('/mine', () => 'secret');
  });
  const headers = { 'content-type': 'text/mine' };
  const refused = await app.inject({ method: 'POST', url: '/mine', headers, payload: 'x' });
  expect([refused.statusCode, parse.mock.calls.length]).toEqual([401, 0]);
  expect((await app.inject({ method: 'POST', url: '/mine', headers: { ...headers, ...ada }, payload: 'x' })).body).toBe(
    'secret',
  );
});

it('accepts preflight requests, and lets pages read why a request was refused', async () => {
  const { app } = await logging({ auth, cors: true });
  const origin = { origin: 'https://app.example' };
  const asked = { ...origin, 'access-control-request-method': 'POST' };
  expect((await app.inject({ method: 'OPTIONS', url: '/agents/a/text', headers: asked })).statusCode).toBe(204);
  const refused = await app.inject({ url: '/agents', headers: origin });
  expect([refused.statusCode, refused.headers['access-control-allow-origin']]).toEqual([401, 'https://app.example']);
});

it('removes the prefix, and matches routes outside of it by their whole path', async () => {
  const { app } = await logging({ auth: { ...auth, publicRoutes: ['GET /agents', '/healthz/*'] }, prefix: '/v1' });
  app.get('/healthz', () => 'mine');
  const status = async (url: string): Promise<number> => (await app.inject({ url })).statusCode;
  expect(await status('/v1/agents')).toBe(200);
  expect(await status('/v1/tools')).toBe(401);
  expect(await status('/v1/healthz')).toBe(200);
  expect(await status('/healthz')).toBe(401);
});

it('takes only paths below the prefix for routes of Halyard, also if the prefix ends with a slash', async () => {
  for (const prefix of ['/v1', '/v1/']) {
    const { app } = await logging({ auth: { ...auth, publicRoutes: ['GET /', 'GET /agents'] }, prefix });
    for (const own of ['/me/agents', '/v1agents']) app.get(own, () => 'mine');
    const status = async (url: string): Promise<number> => (await app.inject({ url })).statusCode;
    expect(await Promise.all([prefix, '/v1/agents'].map(status))).toEqual([200, 200]);
    expect(await Promise.all(['/me/agents', '/v1agents', '/v1/tools'].map(status))).toEqual([401, 401, 401]);
  }
});

it.each([
  ['no route', undefined, '/v1', undefined, false],
  ['no route without a prefix', undefined, '', undefined, false],
  ['a route without a prefix', '/agents', '', '/agents', true],
  ['the start page', '/v1', '/v1', '/', true],
  ['a route below the prefix', '/v1/agents', '/v1//', '/agents', true],
  ['a route beside the prefix', '/v1agents', '/v1', '/v1agents', false],
])('resolves %s', (_, url, prefix, resolved, isBelowPrefix) => {
  expect(resolvedRoute('GET', url, prefix)).toEqual({
    method: 'GET',
    url: resolved,
    isWebSocket: false,
    isBelowPrefix,
  });
});

it('protects the files of a page like the page', async () => {
  for (const open of [{}, { publicRoutes: ['GET /ui'] }]) {
    const { app, text } = await logging({ auth: { ...auth, ...open }, enableSwaggerUI: true });
    const status = async (query = ''): Promise<readonly number[]> => {
      const replies = await Promise.all(
        ['/ui', '/ui/static/swagger-ui.css'].map((path) => app.inject({ url: path + query })),
      );
      return replies.map(({ statusCode }) => statusCode);
    };
    expect(await status()).toEqual('publicRoutes' in open ? [200, 200] : [401, 401]);
    expect(await status(`?key=${consoleKey}`)).toEqual([200, 200]);
    // A refusal is no failure of the server.
    expect(text()).not.toContain('access control failed');
  }
});

it('tells the provider of which request it verifies the token, without the query', async () => {
  const verifyToken = vi.fn<AuthProvider['verifyToken']>(() => ({ id: 'ada' }));
  const { app } = await logging({ auth: { provider: { type: 'test', verifyToken } } });
  const headers = { authorization: 'Bearer its-token', 'x-tenant': 'garden' };
  for (const url of ['/a%20b?key=secret', '/a%20b#part?x=1', '/a%20b'])
    await app.inject({ method: 'POST', url, headers, remoteAddress: '10.0.0.7' });
  expect(verifyToken.mock.calls).toHaveLength(3);
  for (const [token, request] of verifyToken.mock.calls) {
    expect(token).toBe('its-token');
    expect(request).toMatchObject({
      method: 'POST',
      path: '/a%20b',
      headers: { 'x-tenant': 'garden' },
      address: '10.0.0.7',
    });
  }
});

it('protects only the routes of Halyard in an app that uses the plugin', async () => {
  const app = Fastify({ pluginTimeout: 0 });
  closing.push(() => app.close());
  await app.register(halyard, { auth, enableSwaggerUI: false, prefix: '/ai' });
  app.get('/mine', (request) => ({ user: verifiedUser(request) ?? null }));
  const status = async (url: string): Promise<number> => (await app.inject({ url })).statusCode;
  expect([await status('/mine'), await status('/nowhere')]).toEqual([200, 404]);
  expect([await status('/ai/agents'), await status(`/ai/agents?key=${consoleKey}`)]).toEqual([401, 200]);
});

describe('WebSockets', () => {
  it.each([
    ['nothing', '', {}],
    ['a wrong key', '?key=wrong', {}],
    ['a user’s token', `?token=${tokenOf({ id: 'ada' })}`, {}],
    ['the bypass of HTTP', '', { 'x-service-dev': 'true' }],
    ['the bypass of a page elsewhere', '?dev=true', { origin: 'https://evil.example' }],
  ])('are refused before the upgrade with %s', async (_, query, headers) => {
    const { listen } = await logging({ auth });
    const origin = await listen({ port: 0 });
    expect(await refusalOf(`${origin}/ws${query}`, { headers })).toMatchObject({
      status: 401,
      code: 'UNAUTHENTICATED',
      body: { error: 'Console access required' },
    });
  });

  it.each([
    ['the console key', `?key=${consoleKey}`, undefined, true],
    ['the console key from a page elsewhere', `?key=${consoleKey}`, 'https://console.example', true],
    ['the bypass', '?dev=true', undefined, false],
  ])('are open with %s', async (_, query, page, authenticated) => {
    const { listen } = await logging({ auth });
    const origin = await listen({ port: 0 });
    const client = connectTo(`${origin}/ws${query}`, page === undefined ? {} : { origin: page });
    expect(await client.next()).toMatchObject({ type: 'CONNECTION_TEST', data: { authenticated } });
    client.socket.terminate();
  });

  it('that anyone may open report no user for a token without an id', async () => {
    const verifyToken: AuthProvider['verifyToken'] = (token) => (token === 'service' ? { scope: 'metrics' } : null);
    const { listen } = await logging({ auth: { provider: { type: 'test', verifyToken }, publicRoutes: ['WS /ws'] } });
    const client = connectTo(`${await listen({ port: 0 })}/ws?token=service`);
    expect(await client.next()).toMatchObject({ data: { authenticated: false } });
    client.socket.terminate();
  });

  it('of the app accept a token in the query, and an upgrade header alone opens no WebSocket', async () => {
    const { app, listen } = await logging({ auth });
    await app.register(webSockets);
    app.register(async (scope) => {
      scope.get('/live', { websocket: true }, (socket, request) => socket.send(JSON.stringify(verifiedUser(request))));
      scope.get('/plain', () => 'secret');
    });
    const origin = await listen({ port: 0 });
    const query = `?token=${tokenOf({ id: 'ada' })}`;
    const client = connectTo(`${origin}/live${query}`);
    expect(await client.next()).toEqual({ id: 'ada' });
    client.socket.terminate();
    expect(await refusalOf(`${origin}/live`)).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } });
    expect(await refusalOf(`${origin}/live?key=${consoleKey}`)).toMatchObject({ status: 401 });
    for (const path of [`/plain${query}`, '/plain?dev=true', `/agents${query}`])
      expect(await refusalOf(`${origin}${path}`)).toMatchObject({ status: 401 });
  });

  it('that are refused leave no connection open', async () => {
    const { listen } = await logging({ auth });
    const origin = await listen({ port: 0 });
    const lines = ['GET /ws HTTP/1.1', 'host: localhost', ...handshake];
    // Resolves when the server closes the connection.
    const answer = await exchange(Number(new URL(origin).port), `${lines.join('\r\n')}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
    expect(answer).toMatch(/\r\nconnection: close\r\n/i);
    expect(answer).toContain('{"success":false,"error":"Console access required"}');
  });

  it('have no bypass in production', async () => {
    vi.stubEnv('NODE_ENV', ' PROD ');
    const { listen } = await logging({ auth, secret: 'x'.repeat(32) });
    const origin = await listen({ host: '127.0.0.1', port: 0 });
    expect(await refusalOf(`${origin}/ws?dev=true`)).toMatchObject({ status: 401 });
  });
});

describe('warnings at start', () => {
  it('names the routes that legacy mode leaves open, once', async () => {
    const { app, warnings } = await logging({ auth: { ...auth, mode: 'legacy' } });
    await app.ready();
    const [warning, ...more] = warnings();
    expect(warning).toContain('POST /workflows/:id/executions/:executionId/resume');
    expect(warning).not.toContain('/text');
    expect(more).toEqual([]);
  });

  it('names console routes that are public', async () => {
    const { app, warnings } = await logging({ auth: { ...auth, publicRoutes: ['/agents/**'] } });
    await app.ready();
    expect(warnings()).toEqual([
      'the option `auth.publicRoutes` opens console routes: GET /agents, GET /agents/:id, GET /agents/:id/history, POST /agents/:id/try, GET /agents/:id/card',
    ]);
  });

  it('warns of an open server in production, unless it listens on this machine only', async () => {
    vi.stubEnv('NODE_ENV', 'production');
    const options = { secret: 'x'.repeat(32), storage: createInMemoryStorage() };
    const open = await logging(options);
    await open.listen({ port: 0 });
    expect(open.warnings()).toEqual([expect.stringContaining('set the option `auth`')]);
    const local = await logging(options);
    await local.listen({ host: '127.0.0.1', port: 0 });
    const closed = await logging({ ...options, auth });
    await closed.listen({ port: 0 });
    expect([local.warnings(), closed.warnings()]).toEqual([[], []]);
  });

  it('warns of trust in every client in production', async () => {
    vi.stubEnv('NODE_ENV', 'production');
    const storage = createInMemoryStorage();
    const options = { auth, host: '127.0.0.1', port: 0, secret: 'x'.repeat(32), storage };
    const trusting = await logging({ ...options, trustProxy: true });
    await trusting.listen();
    expect(trusting.warnings()).toEqual([expect.stringContaining('addresses of the proxies')]);
    const choosing = await logging({ ...options, trustProxy: 'uniquelocal' });
    await choosing.listen();
    expect(choosing.warnings()).toEqual([]);
  });

  it('refuses to trust a number of proxies, with which Fastify trusts nobody', async () => {
    await expect(createServerWithInternals({ logger: false, trustProxy: 1 as never }, {})).rejects.toThrow(
      '`trustProxy`',
    );
  });

  it('warns of a server in development that others can reach', async () => {
    const open = await logging({ auth });
    await open.listen({ host: '0.0.0.0', port: 0 });
    expect(open.warnings()).toEqual([expect.stringContaining('set NODE_ENV=production')]);
    const local = await logging({ auth });
    await local.listen({ port: 0 });
    expect(local.warnings()).toEqual([]);
  });

  it.each([
    [{ publicRoutes: ['agents'] }, 'auth.publicRoutes'],
    [{ consoleRoutes: ['GET /a*'] }, 'auth.consoleRoutes'],
    [{ mode: 'open' }, 'auth.mode'],
    [{ provider: {} }, 'auth.provider'],
    [{ provider: { ...provider, publicRoutes: ['FETCH /a'] } }, 'auth.publicRoutes'],
    [{ rejectedPerMinute: -1 }, 'auth.rejectedPerMinute'],
  ])('refuses to start with %j', async (options, named) => {
    await expect(createServerWithInternals({ logger: false, auth: options as never }, {})).rejects.toThrow(named);
  });
});
