import { Agent } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { channels } from '../../api/channels/index.ts';
import { endpoints } from '../../api/routes/index.ts';
import { createServer } from '../../create-server.ts';
import { halyard } from '../../halyard.ts';
import { serve, type Served } from '../../testing/serve.ts';
import { connectTo } from '../../testing/sockets.ts';

const agents = [new Agent({ id: 'a', model: scriptedModel('ok') })];
/** The pages that plugins serve. */
const pages = ['/ui', '/console'].map((url) => ({ method: 'GET' as const, url }));
const routes = [...endpoints.map(({ method, url }) => ({ method, url })), ...pages];

beforeAll(() => {
  // No request may change the files of this app.
  vi.stubEnv('NODE_ENV', 'production');
});
afterAll(() => {
  vi.unstubAllEnvs();
});

/** Status, code and type of a reply, which are those of its route. */
async function replyOf(app: FastifyInstance, method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string) {
  const { headers, statusCode } = await app.inject({ method, url });
  return { statusCode, code: headers['x-error-code'], type: headers['content-type'] };
}

describe.each(['', '/base'])('a path with a trailing slash, below %j', (prefix) => {
  let server: Served;
  beforeAll(async () => {
    server = await serve([], { agents, prefix, enableSwaggerUI: true, secret: 'x'.repeat(32) });
  });
  afterAll(() => server.close());

  it.each(routes)('is the route without it: $method $url', async ({ method, url }) => {
    const path = `${prefix}${url}`.replaceAll(/:\w+/g, 'a').replace(/\/$/, '');
    const wanted = await replyOf(server.app, method, `${path === '' ? '/' : path}?x=1`);
    expect(wanted.code).not.toBe('ROUTE_NOT_FOUND');
    expect(await replyOf(server.app, method, `${path}/?x=1`)).toEqual(wanted);
  });

  it.each(channels)('opens the same WebSocket: $url', async ({ url }) => {
    const { next, socket } = connectTo(`${server.origin}${prefix}${url}/`);
    expect(await next()).toMatchObject({ type: expect.stringMatching(/^(CONNECTION_|initial)/) });
    socket.terminate();
  });
});

it.each(pages)('$url loads the same files with a trailing slash', async ({ url }) => {
  const { app, close } = await serve([], { enableSwaggerUI: true, secret: 'x'.repeat(32) });
  const filesAt = async (path: string): Promise<readonly string[]> => {
    const { body } = await app.inject({ url: path });
    const base = /<base href="([^"]+)"/.exec(body)?.[1] ?? path;
    return Array.from(
      body.matchAll(/(?:src|href)="([^"]+\.(?:js|css|svg))"/g),
      ([, file = '']) => new URL(file, `http://localhost${base}`).pathname,
    );
  };
  const files = await filesAt(url);
  expect(files.length).toBeGreaterThan(1);
  expect(await filesAt(`${url}/`)).toEqual(files);
  for (const file of files) expect((await app.inject({ url: file })).statusCode).toBe(200);
  await close();
});

it('reaches a route that an app adds to its server', async () => {
  const server = await createServer({ logger: false, secret: 'x'.repeat(32) });
  server.app.get('/shop/:item', async (request) => request.params);
  expect((await server.app.inject({ url: '/shop/hat/' })).json()).toEqual({ item: 'hat' });
  await server.close();
});

describe('the plugin in an app whose router tells both apart', () => {
  let app: FastifyInstance;
  beforeEach(async () => {
    app = Fastify();
    await app.register(halyard, { agents, prefix: '/base', secret: 'x'.repeat(32) });
  });
  afterEach(() => app.close());

  it('names the route without the slash', async () => {
    const reply = await app.inject({ url: '/base/agents/?x=1' });
    expect(reply.statusCode).toBe(404);
    expect(reply.headers['x-error-code']).toBe('ROUTE_NOT_FOUND');
    expect(reply.json()).toEqual({
      success: false,
      error: 'No route for GET /base/agents/: write /base/agents, without the slash at its end',
    });
  });
});
