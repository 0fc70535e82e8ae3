import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createServer, halyard, type ServerOptions } from '../../index.ts';
import { consoleKey, provider } from '../../testing/credentials.ts';
import { serve, unreachableLimits } from '../../testing/serve.ts';
import { refusalOf } from '../../testing/sockets.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly remoteAddress?: string;
}

const local: readonly Sent[] = [
  {},
  { headers: { host: 'LOCALHOST:3141' } },
  { headers: { host: 'shop.localhost' } },
  { headers: { host: '127.0.0.1:3141' } },
  { headers: { host: '[::1]:3141' }, remoteAddress: '::1' },
  { headers: { host: 'localhost' }, remoteAddress: '::ffff:127.0.0.1' },
];
const elsewhere: readonly Sent[] = [
  { remoteAddress: '192.168.1.7' },
  { remoteAddress: '::ffff:192.168.1.7' },
  { remoteAddress: 'fe80::1' },
  // A page that resolves its own name to 127.0.0.1 is of the same origin.
  { headers: { host: 'evil.test:3141', origin: 'http://evil.test:3141', 'sec-fetch-site': 'same-origin' } },
  { headers: { host: 'localhost.evil.test' } },
  { headers: { host: '192.168.1.7:3141' } },
  { headers: { forwarded: 'for=127.0.0.1;host=localhost' } },
  { headers: { via: '1.1 proxy' } },
  { headers: { 'x-forwarded-for': '127.0.0.1' } },
  { headers: { 'x-forwarded-host': 'localhost' } },
  { headers: { 'x-forwarded-proto': 'https' } },
  { headers: { 'x-real-ip': '127.0.0.1' } },
  { headers: { 'cf-connecting-ip': '127.0.0.1' } },
];
/** Headers of requests of others that reach this computer. */
const remote: readonly Readonly<Record<string, string>>[] = [{ host: 'evil.test' }, { 'x-forwarded-for': '127.0.0.1' }];
const everywhere = [
  ['GET', '/agents'],
  ['GET', '/doc'],
  ['GET', '/api/memory/conversations'],
  ['POST', '/setup-observability'],
  ['GET', '/own'],
  ['GET', '/own/healthz'],
  ['GET', '/nowhere'],
  ['POST', '/nowhere'],
] as const;

async function open(options: ServerOptions = {}): Promise<FastifyInstance> {
  const { app, close } = await createServer({ logger: false, signals: false, limits: unreachableLimits, ...options });
  onTestFinished(close);
  app.get('/own', () => 'done');
  app.get('/own/healthz', () => 'done');
  return app;
}

describe('in development, a server without access control', () => {
  it.each(elsewhere)('refuses what does not come from this computer: %j', async (sent) => {
    const app = await open();
    for (const [method, url] of everywhere) {
      const reply = await app.inject({ method, url, ...sent });
      expect([reply.statusCode, reply.headers['x-error-code']], `${method} ${url}`).toEqual([403, 'HOST_NOT_ALLOWED']);
      const { error, success } = reply.json<{ error: string; success: boolean }>();
      expect(success).toBe(false);
      for (const remedy of ['`auth`', 'NODE_ENV=production', '`allowedHosts`']) expect(error).toContain(remedy);
    }
    for (const url of ['/healthz', '/readyz']) expect((await app.inject({ url, ...sent })).statusCode).toBe(200);
  });

  it.each(local)('serves this computer: %j', async (sent) => {
    const app = await open();
    for (const url of ['/agents', '/own']) expect((await app.inject({ url, ...sent })).statusCode).toBe(200);
    expect((await app.inject({ url: '/nowhere', ...sent })).statusCode).toBe(404);
  });

  it('serves this computer by the names in `allowedHosts`, and nothing else', async () => {
    const app = await open({ allowedHosts: ['Halyard.test', '192.168.1.7'] });
    const status = async (sent: Sent): Promise<number> => (await app.inject({ url: '/agents', ...sent })).statusCode;
    for (const host of ['halyard.test', 'HALYARD.test:3141', '192.168.1.7:3141', 'localhost'])
      expect(await status({ headers: { host } })).toBe(200);
    expect(await status({ headers: { host: 'a.halyard.test' } })).toBe(403);
    expect(await status({ headers: { host: 'halyard.test' }, remoteAddress: '192.168.1.8' })).toBe(403);
    expect(await status({ headers: { host: 'halyard.test', 'x-forwarded-for': '127.0.0.1' } })).toBe(403);
  });

  it('trusts no proxy, whatever `trustProxy` is', async () => {
    const app = await open({ trustProxy: true });
    const headers = { 'x-forwarded-for': '127.0.0.1', 'x-forwarded-host': 'localhost' };
    expect((await app.inject({ url: '/agents', headers, remoteAddress: '192.168.1.7' })).statusCode).toBe(403);
  });

  it('opens no WebSocket for others', async () => {
    const server = await serve();
    onTestFinished(() => server.close());
    for (const headers of remote)
      expect(await refusalOf(`${server.origin}/ws`, { headers })).toMatchObject({
        status: 403,
        code: 'HOST_NOT_ALLOWED',
        headers: { connection: 'close' },
      });
    expect(await refusalOf(`${server.origin}/ws`)).toMatchObject({ status: 101 });
  });

  it('refuses on the routes of the plugin, but not on those of its app', async () => {
    const app = Fastify({ pluginTimeout: 0 });
    onTestFinished(() => app.close());
    await app.register(halyard, { prefix: '/ai' });
    app.get('/own', () => 'done');
    const status = async (url: string): Promise<number> =>
      (await app.inject({ url, remoteAddress: '192.168.1.7' })).statusCode;
    expect(await status('/ai/agents')).toBe(403);
    expect(await status('/ai/healthz')).toBe(200);
    expect(await status('/own')).toBe(200);
  });

  it('is a server of everybody in production', async () => {
    vi.stubEnv('NODE_ENV', 'production');
    const app = await open({ secret: 'x'.repeat(32) });
    for (const sent of elsewhere) expect((await app.inject({ url: '/agents', ...sent })).statusCode).toBe(200);
  });
});

describe('with access control, the dev bypass', () => {
  const auth = { provider, consoleKey };
  const bypass = { 'x-service-dev': 'true' };

  it.each(elsewhere)('does not count if it does not come from this computer: %j', async ({ headers, ...sent }) => {
    const app = await open({ auth });
    for (const [method, url] of everywhere) {
      const reply = await app.inject({ method, url, headers: { ...bypass, ...headers }, ...sent });
      expect(reply.statusCode, `${method} ${url}`).toBe(401);
    }
    const key = { 'x-console-access-key': consoleKey };
    expect((await app.inject({ url: '/agents', headers: { ...key, ...headers }, ...sent })).statusCode).toBe(200);
  });

  it.each(local)('counts on this computer: %j', async ({ headers, ...sent }) => {
    const app = await open({ auth });
    for (const url of ['/agents', '/own'])
      expect((await app.inject({ url, headers: { ...bypass, ...headers }, ...sent })).statusCode).toBe(200);
  });

  it('counts for the names in `allowedHosts`', async () => {
    const app = await open({ auth, allowedHosts: ['halyard.test'] });
    const headers = { ...bypass, host: 'halyard.test' };
    expect((await app.inject({ url: '/agents', headers })).statusCode).toBe(200);
  });

  it('opens no WebSocket for others', async () => {
    const server = await serve([], { auth });
    onTestFinished(() => server.close());
    const url = `${server.origin}/ws?dev=true`;
    for (const headers of remote)
      expect(await refusalOf(url, { headers })).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' });
    expect(await refusalOf(url)).toMatchObject({ status: 101 });
  });
});

it.each([['http://halyard.test'], ['halyard.test:3141'], [''], ['*'], [7], 'halyard.test', [undefined]])(
  'refuses a list of hosts that is none: %j',
  async (allowedHosts) => {
    const options = { allowedHosts } as unknown as ServerOptions;
    await expect(createServer({ ...options, logger: false })).rejects.toThrow('`allowedHosts`');
  },
);
