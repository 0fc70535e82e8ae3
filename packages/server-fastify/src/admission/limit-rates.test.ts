import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createServer, type HalyardServer, type ServerOptions } from '../index.ts';
import { unreachableLimits } from '../testing/serve.ts';

let server: HalyardServer;
// In development, a server without access control answers its own computer only.
beforeEach(() => {
  vi.stubEnv('NODE_ENV', 'production');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await server.close();
});

const provider = { type: 'names', verifyToken: (token: string) => (token === 'bad' ? null : { id: token }) };

async function ask(url: string, options: { readonly token?: string; readonly address?: string } = {}) {
  const { address = '10.0.0.1', token } = options;
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return server.app.inject({ url, headers, remoteAddress: address });
}

async function statuses(count: number, ...asked: Parameters<typeof ask>): Promise<readonly number[]> {
  const seen: number[] = [];
  for (let sent = 0; sent < count; sent += 1) seen.push((await ask(...asked)).statusCode);
  return seen;
}

async function open(options: ServerOptions): Promise<void> {
  server = await createServer({ logger: false, signals: false, limits: unreachableLimits, ...options });
  server.app.get('/own', () => 'own');
}

it('replies to an address with too many requests with the envelope and Retry-After', async () => {
  await open({ rateLimit: { max: 2, windowMs: 30_000 } });
  expect(await statuses(2, '/agents')).toEqual([200, 200]);

  const refused = await ask('/agents');
  expect(refused.statusCode).toBe(429);
  expect(refused.headers['x-error-code']).toBe('RATE_LIMITED');
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(5);
  expect(refused.json()).toEqual({ success: false, error: 'Too many requests: 2 are allowed in 30000 ms' });
  expect((await ask('/agents', { address: '10.0.0.2' })).statusCode).toBe(200);
});

it('counts the addresses of one IPv6 network together', async () => {
  await open({ rateLimit: { max: 2 } });
  expect(await statuses(2, '/agents', { address: '2001:db8::1' })).toEqual([200, 200]);

  expect((await ask('/agents', { address: '2001:db8::2' })).statusCode).toBe(429);
  expect((await ask('/agents', { address: '2001:db8:0:1::1' })).statusCode).toBe(200);
});

it('counts a verified user across all addresses', async () => {
  await open({ rateLimit: { max: 2 }, auth: { provider } });
  expect(await statuses(2, '/own', { token: 'ada' })).toEqual([200, 200]);

  expect((await ask('/own', { token: 'ada', address: '10.0.0.9' })).statusCode).toBe(429);
  expect((await ask('/own', { token: 'ben' })).statusCode).toBe(200);
});

it('counts paths without a route, but not health checks', async () => {
  await open({ rateLimit: { max: 2 } });
  expect(await statuses(3, '/nowhere')).toEqual([404, 404, 429]);
  expect(await statuses(5, '/healthz')).toEqual([200, 200, 200, 200, 200]);
});

it('counts requests without valid credentials by address', async () => {
  await open({ rateLimit: { max: 3 }, auth: { provider, rejectedPerMinute: false } });
  expect(await statuses(2, '/own')).toEqual([401, 401]);
  expect(await statuses(2, '/own', { token: 'bad' })).toEqual([401, 429]);
  expect(await statuses(1, '/nowhere')).toEqual([429]);
  expect((await ask('/own', { address: '10.0.0.2' })).statusCode).toBe(401);
  expect((await ask('/own', { token: 'ada' })).statusCode).toBe(200);
});

it('sets no limit by default', async () => {
  await open({});
  expect(new Set(await statuses(300, '/healthz'))).toEqual(new Set([200]));
  expect(new Set(await statuses(300, '/agents'))).toEqual(new Set([200]));
});
