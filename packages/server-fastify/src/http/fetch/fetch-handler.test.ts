import { setImmediate as turn } from 'node:timers/promises';
import { ConfigurationError } from '@halyard/contracts';
import { Agent } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { Type } from '@sinclair/typebox';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { defineRoute } from '../../api/define/define-route.ts';
import { defineStream } from '../../api/define/define-stream.ts';
import { endpoints as api } from '../../api/routes/index.ts';
import { createServerWithInternals, type HalyardServer } from '../../create-server.ts';
import type { ServerOptions } from '../../server-options.ts';
import { endpoint, json, unreachableLimits } from '../../testing/serve.ts';

const mebibyte = 1024 * 1024;
const remoteAddress = '127.0.0.1';

const servers: HalyardServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
  vi.unstubAllEnvs();
});

let produced = 0;
let released = Promise.withResolvers<void>();
/** Resolves when the signal of the last call to `/waits` is aborted. */
let left = Promise.withResolvers<void>();
let entered = Promise.withResolvers<void>();

const text = {
  event: Type.String(),
  encode: (event: unknown) => String(event),
  encodeFailure: (error: string) => error,
};
const routes = [
  defineRoute({
    ...endpoint,
    method: 'POST',
    url: '/echo',
    body: Type.Any(),
    data: Type.Any(),
    operationId: 'echo',
    bodySize: 'messages',
    handler: async ({ body, caller, headers }) => ({ body, address: caller.address, headers }),
  }),
  defineRoute({
    ...endpoint,
    method: 'POST',
    url: '/waits',
    body: Type.Any(),
    data: Type.Any(),
    operationId: 'waits',
    handler: async ({ signal }) => {
      entered.resolve();
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      left.resolve();
      return {};
    },
  }),
  defineRoute({
    ...endpoint,
    method: 'GET',
    url: '/large',
    data: Type.Any(),
    operationId: 'large',
    handler: async () => 'x'.repeat(mebibyte),
  }),
  defineStream({
    ...endpoint,
    ...text,
    method: 'GET',
    url: '/pieces',
    operationId: 'pieces',
    terminator: 'end',
    handler: async function* () {
      try {
        for (produced = 0; produced < 100; produced += 1) yield ['x'.repeat(mebibyte / 4)];
      } finally {
        released.resolve();
      }
    } as never,
  }),
];

async function serve(options: ServerOptions = {}): Promise<HalyardServer> {
  produced = 0;
  released = Promise.withResolvers();
  left = Promise.withResolvers();
  entered = Promise.withResolvers();
  const server = await createServerWithInternals(
    { logger: 'silent', limits: unreachableLimits, ...options },
    { endpoints: [...api, ...routes] },
  );
  servers.push(server);
  return server;
}

const at = (path: string, init?: RequestInit): Request => new Request(`http://localhost${path}`, init);

describe('a request', () => {
  it('is answered by the routes of the server, without a port', async () => {
    const agent = new Agent({ id: 'a', model: scriptedModel('Hello.') });
    const { app, fetch } = await serve({ agents: [agent] });
    const response = await fetch(at('/agents/a/text', json({ input: 'Hi' })), { remoteAddress });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(await response.json()).toMatchObject({ success: true, data: { text: 'Hello.' } });
    expect(response.headers.get('x-request-id')).toMatch(/./);
    expect(app.addresses()).toEqual([]);
  });

  it('is answered below the prefix', async () => {
    const { fetch } = await serve({ prefix: '/api/ai' });
    expect((await fetch(at('/api/ai/agents'), { remoteAddress })).status).toBe(200);
    expect((await fetch(at('/agents'), { remoteAddress })).status).toBe(404);
  });

  it('brings its body, in as many chunks as it comes, with its length or without', async () => {
    const { fetch } = await serve();
    const sent = { text: 'ä'.repeat(mebibyte) };
    const bytes = new TextEncoder().encode(JSON.stringify(sent));
    const pieces = ReadableStream.from(
      (function* () {
        for (let start = 0; start < bytes.length; start += 100_001) yield bytes.slice(start, start + 100_001);
      })(),
    );
    const headers = { 'content-type': 'application/json' };
    const streamed = at('/echo', { method: 'POST', headers, body: pieces, duplex: 'half' });
    const measured = at('/echo', {
      method: 'POST',
      headers: { ...headers, 'content-length': String(bytes.length) },
      body: bytes,
    });
    for (const request of [streamed, measured]) {
      const reply = (await (await fetch(request, { remoteAddress })).json()) as { data: { body: unknown } };
      expect(reply.data.body).toEqual(sent);
    }
  });

  it('may have a body that breaks off', async () => {
    const { fetch } = await serve();
    const body = new ReadableStream({
      pull: (controller) => controller.error(new Error('gone')),
    });
    const broken = at('/echo', { ...json({}), body, duplex: 'half' });
    const response = await fetch(broken, { remoteAddress });
    expect([response.status, response.headers.get('x-error-code')]).toEqual([400, 'REQUEST_REFUSED']);
  });

  it.each([
    ['with its length', { 'content-length': String(2 * mebibyte) }],
    ['without its length', {}],
  ])('with a body that is too large is refused without waiting for the rest, %s', async (_, length) => {
    const { fetch } = await serve();
    const chunk = new Uint8Array(256 * 1024).fill(32);
    let sent = 0;
    const body = new ReadableStream({
      // Never ends.
      pull: (controller) => {
        if (sent < 8) controller.enqueue(chunk);
        sent += 1;
      },
    });
    const headers = { 'content-type': 'application/json', ...length };
    const init: RequestInit = { method: 'POST', headers, body, duplex: 'half' };
    const response = await fetch(at('/waits', init), { remoteAddress });
    expect([response.status, response.headers.get('x-error-code')]).toEqual([413, 'BODY_TOO_LARGE']);
  });

  it('whose body was read before is refused with advice', async () => {
    const { fetch } = await serve();
    const request = at('/echo', json({}));
    await request.text();
    await expect(fetch(request, { remoteAddress })).rejects.toThrow('pass `request.clone()`');
  });

  it('gets the envelope for unknown paths, and no body for HEAD', async () => {
    const { fetch } = await serve();
    const unknown = await fetch(at('/nowhere'), { remoteAddress });
    expect([unknown.status, await unknown.json()]).toMatchObject([404, { success: false }]);
    const head = await fetch(at('/agents', { method: 'HEAD' }), { remoteAddress });
    expect([head.status, head.body]).toEqual([200, null]);
  });

  it('learns that it cannot open a WebSocket', async () => {
    const { fetch } = await serve();
    const response = await fetch(at('/ws', { headers: { connection: 'upgrade', upgrade: 'websocket' } }), {
      remoteAddress,
    });
    expect([response.status, await response.json()]).toEqual([
      426,
      {
        success: false,
        error: '/ws is a WebSocket: server.fetch cannot open it, so connect to a server that listens',
      },
    ]);
    expect(response.headers.get('connection')).toBeNull();
  });

  it('is refused while the server closes', async () => {
    const server = await serve();
    await server.fetch(at('/agents'), { remoteAddress });
    await server.close();
    expect((await server.fetch(at('/agents'), { remoteAddress })).status).toBe(503);
  });
});

describe('a client that leaves', () => {
  it('aborts what it asked for', async () => {
    const { fetch } = await serve();
    const client = new AbortController();
    const reply = fetch(at('/waits', { ...json({}), signal: client.signal }), { remoteAddress });
    await entered.promise;
    client.abort();
    await left.promise;
    expect((await reply).status).toBe(499);
  });

  it('is not answered if it left before', async () => {
    const { fetch } = await serve();
    const reply = await fetch(at('/waits', { ...json({}), signal: AbortSignal.abort() }), { remoteAddress });
    expect(reply.status).toBe(499);
  });

  it.each(['cancels the body', 'aborts its request'])('ends a stream: it %s', async (how) => {
    const { fetch } = await serve();
    const client = new AbortController();
    const response = await fetch(at('/pieces', { signal: client.signal }), { remoteAddress });
    const reader = response.body?.getReader();
    await reader?.read();
    if (how === 'cancels the body') await reader?.cancel();
    else client.abort();
    await released.promise;
    expect(produced).toBeLessThan(10);
    if (how !== 'cancels the body') await expect(reader?.read().then(() => reader.read())).rejects.toThrow();
  });

  it('stops the model of an agent', async () => {
    const model = scriptedModel({ text: 'Half', hangs: true });
    const { fetch } = await serve({ agents: [new Agent({ id: 'a', model })] });
    const response = await fetch(at('/agents/a/chat', json({ input: 'Hi' })), { remoteAddress });
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    await expect.poll(() => model.abortsSeen).toBe(1);
  });
});

describe('a client that does not read', () => {
  it('stops the producer, and receives everything when it reads on', async () => {
    const { fetch } = await serve();
    const response = await fetch(at('/pieces'), { remoteAddress });
    for (let turns = 0; turns < 100; turns += 1) await turn();
    expect(produced).toBeLessThan(5);
    const received = await response.text();
    expect([produced, received.length]).toEqual([100, 25 * mebibyte + 3]);
  });

  it('gets the headers before the first event', async () => {
    const model = scriptedModel({ hangs: true });
    const { fetch } = await serve({ agents: [new Agent({ id: 'a', model })] });
    const response = await fetch(at('/agents/a/stream', json({ input: 'Hi' })), { remoteAddress });
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    await response.body?.cancel();
  });

  it('leaves a large reply after a time', async () => {
    const { fetch } = await serve();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const response = await fetch(at('/large'), { remoteAddress });
      const reader = response.body?.getReader();
      await reader?.read();
      vi.advanceTimersByTime(31_000);
      const rest = async (): Promise<void> => {
        while ((await reader?.read())?.done === false);
      };
      await expect(rest()).resolves.toBeUndefined();
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('the address of the caller', () => {
  const addressIn = async (response: Response): Promise<string> =>
    ((await response.json()) as { data: { address: string } }).data.address;

  it('is the one that the adapter names, and not that of a header', async () => {
    vi.stubEnv('NODE_ENV', 'production');
    const { fetch } = await serve();
    const request = (): Request =>
      at('/echo', { ...json({}), headers: { ...headersOf(), 'x-forwarded-for': '1.2.3.4' } });
    expect(await addressIn(await fetch(request(), { remoteAddress: '203.0.113.7' }))).toBe('203.0.113.7');
    expect(await addressIn(await fetch(request()))).toBe('');
    await expect(fetch(request(), { remoteAddress: '203.0.113.7:80' })).rejects.toThrow(ConfigurationError);
  });

  it('is that of a header which `trustProxy` trusts', async () => {
    vi.stubEnv('NODE_ENV', 'production');
    const { fetch } = await serve({ trustProxy: (_address, hop) => hop < 1 });
    const headers = { ...headersOf(), 'x-forwarded-for': '6.6.6.6, 198.51.100.2' };
    expect(await addressIn(await fetch(at('/echo', { ...json({}), headers })))).toBe('198.51.100.2');
  });

  it.each<[string, boolean, Record<string, string>, string | undefined]>([
    ['of another computer', false, {}, '203.0.113.7'],
    ['of this computer', true, {}, '127.0.0.1'],
    ['of this computer, through a proxy', false, { 'x-forwarded-for': '127.0.0.1' }, '127.0.0.1'],
    ['of an unknown address', true, {}, undefined],
    [
      'as Next.js passes it on',
      true,
      { 'x-forwarded-for': '::1', 'x-forwarded-host': 'localhost:3000', 'x-forwarded-proto': 'http' },
      undefined,
    ],
    ['as Next.js passes on one of another computer', false, { 'x-forwarded-for': '192.168.1.7' }, undefined],
    ['through a tunnel', false, { 'x-forwarded-host': 'abc.example' }, undefined],
    ['through another proxy', false, { via: '1.1 proxy' }, undefined],
    ['by another name', false, { host: 'evil.example' }, undefined],
    ['with a local name in the address of another page', false, { host: 'evil.example' }, '127.0.0.1'],
  ])('decides in development without `auth`: a request %s', async (_, isAllowed, headers, address) => {
    vi.stubEnv('NODE_ENV', 'development');
    const { fetch } = await serve();
    const response = await fetch(at('/agents', { headers }), { remoteAddress: address });
    expect([response.status, response.headers.get('x-error-code')]).toEqual(
      isAllowed ? [200, null] : [403, 'HOST_NOT_ALLOWED'],
    );
  });

  it('must be known for the dev bypass', async () => {
    vi.stubEnv('NODE_ENV', 'development');
    const { fetch } = await serve({ auth: { provider: { type: 'test', verifyToken: async () => null } } });
    const request = (): Request => at('/agents', { headers: { 'x-service-dev': 'true' } });
    expect((await fetch(request(), { remoteAddress })).status).toBe(200);
    expect((await fetch(request())).status).toBe(401);
  });
});

function headersOf(): Record<string, string> {
  return { 'content-type': 'application/json' };
}
