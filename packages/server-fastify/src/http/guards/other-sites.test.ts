import Fastify, { type FastifyInstance } from 'fastify';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createServer, halyard, type ServerOptions } from '../../index.ts';
import { serve, unreachableLimits } from '../../testing/serve.ts';
import { refusalOf } from '../../testing/sockets.ts';

const elsewhere = 'https://elsewhere.test';
const foreign = [
  { origin: elsewhere },
  { origin: 'null' },
  { origin: 'http://localhost:1' },
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'cross-site', origin: 'http://localhost:80' },
];
const own = [
  {},
  { origin: 'http://localhost:80' },
  // A proxy on another port, which replaces the host.
  { origin: 'http://localhost:5173', 'sec-fetch-site': 'same-origin' },
];

async function open(options: ServerOptions = {}): Promise<FastifyInstance> {
  const { app, close } = await createServer({ logger: false, signals: false, limits: unreachableLimits, ...options });
  onTestFinished(close);
  app.post('/own', () => 'done');
  return app;
}

describe('without access control, a page of another site', () => {
  it.each(foreign)('cannot change anything: %j', async (headers) => {
    const app = await open();
    for (const [method, url] of [
      ['POST', '/updates'],
      ['POST', '/workflows/x/executions/y/cancel'],
      ['DELETE', '/api/memory/conversations/x'],
      ['POST', '/own'],
      ['POST', '/nowhere'],
    ] as const) {
      const reply = await app.inject({ method, url, headers });
      expect(reply.statusCode, `${method} ${url}`).toBe(403);
      expect(reply.headers['x-error-code']).toBe('ORIGIN_NOT_ALLOWED');
      expect(reply.json()).toMatchObject({ success: false, error: expect.stringContaining('cors') });
    }
    expect((await app.inject({ url: '/agents', headers })).statusCode).toBe(200);
  });

  it('can do so if `cors` allows its origin', async () => {
    const app = await open({ cors: { origin: [elsewhere] } });
    const headers = { origin: elsewhere, 'sec-fetch-site': 'cross-site' };
    expect((await app.inject({ method: 'POST', url: '/own', headers })).statusCode).toBe(200);
    const other = await app.inject({ method: 'POST', url: '/own', headers: { origin: 'https://other.test' } });
    expect(other.statusCode).toBe(403);
  });

  it('cannot open a WebSocket, by `Sec-Fetch-Site` too', async () => {
    const server = await serve();
    onTestFinished(() => server.close());
    const headers = { 'sec-fetch-site': 'cross-site', origin: server.origin };
    expect(await refusalOf(`${server.origin}/ws`, { headers })).toMatchObject({ status: 403 });
  });

  it('cannot change anything on the routes of the plugin, but on those of its app', async () => {
    const app = Fastify({ pluginTimeout: 0 });
    onTestFinished(() => app.close());
    await app.register(halyard, {});
    app.post('/own', () => 'done');
    const headers = { origin: elsewhere };
    expect((await app.inject({ method: 'POST', url: '/updates', headers })).statusCode).toBe(403);
    expect((await app.inject({ method: 'POST', url: '/own', headers })).statusCode).toBe(200);
  });
});

describe('in legacy mode, a page of another site', () => {
  const auth = {
    mode: 'legacy',
    provider: { type: 'test', verifyToken: () => ({ id: 'ada' }) },
    publicRoutes: ['POST /called-back'],
  } as const;
  const openRoutes = [
    '/workflows/x/executions/y/cancel',
    '/workflows/x/executions/y/suspend',
    '/workflows/x/executions/y/resume',
    '/own',
  ];

  it.each(foreign)('cannot change anything on routes that nobody has made public: %j', async (headers) => {
    const app = await open({ auth });
    for (const url of openRoutes) {
      const reply = await app.inject({ method: 'POST', url, headers });
      expect(reply.statusCode, `POST ${url}`).toBe(403);
      expect(reply.headers['x-error-code']).toBe('ORIGIN_NOT_ALLOWED');
    }
    expect((await app.inject({ url: '/workflows/x/executions/y', headers })).statusCode).toBe(404);
  });

  it.each(foreign)('can use a route that the app has made public: %j', async (headers) => {
    const app = await open({ auth });
    app.post('/called-back', () => 'done');
    expect((await app.inject({ method: 'POST', url: '/called-back', headers })).statusCode).toBe(200);
  });

  it.each([...own, { origin: elsewhere, authorization: 'Bearer ada' }])(
    'is not taken for its own pages and other programs: %j',
    async (headers) => {
      const app = await open({ auth });
      for (const url of openRoutes.slice(0, 3)) {
        const { statusCode } = await app.inject({ method: 'POST', url, headers });
        expect(statusCode, `POST ${url}`).toBe(404);
      }
      expect((await app.inject({ method: 'POST', url: '/own', headers })).statusCode).toBe(200);
    },
  );

  it('can do so if `cors` allows its origin', async () => {
    const app = await open({ auth, cors: { origin: [elsewhere] } });
    expect((await app.inject({ method: 'POST', url: '/own', headers: { origin: elsewhere } })).statusCode).toBe(200);
  });
});

it.each(own)('accepts requests of its own pages and of other programs: %j', async (headers) => {
  const app = await open();
  expect((await app.inject({ method: 'POST', url: '/own', headers })).statusCode).toBe(200);
});

it('accepts requests of other origins with a token', async () => {
  const app = await open({ auth: { provider: { type: 'test', verifyToken: () => ({ id: 'ada' }) } } });
  const headers = { origin: elsewhere, 'sec-fetch-site': 'cross-site', authorization: 'Bearer ada' };
  expect((await app.inject({ method: 'POST', url: '/own', headers })).statusCode).toBe(200);
});
