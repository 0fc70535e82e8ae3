import { once } from 'node:events';
import webSockets from '@fastify/websocket';
import { Type } from '@sinclair/typebox';
import Fastify from 'fastify';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { channels as all } from '../../api/channels/index.ts';
import { defineChannel, type Connection } from '../../api/define/define-channel.ts';
import { defineRoute } from '../../api/define/define-route.ts';
import { createServer } from '../../create-server.ts';
import { halyard } from '../../halyard.ts';
import { frame } from '../../testing/malformed-frames.ts';
import { endpoint, exchange, open, serve, type Served, unreachableLimits } from '../../testing/serve.ts';
import { connectTo, handshake, refusalOf } from '../../testing/sockets.ts';

let server: Served;
afterEach(async () => {
  vi.useRealTimers();
  await server?.close();
});

const upgrade = (path: string, ...more: string[]): string =>
  [`GET ${path} HTTP/1.1`, 'host: localhost', ...handshake, ...more, '', ''].join('\r\n');

it('handles each message of a client in a turn of its own, so that many at once delay nobody else', async () => {
  let turn = 0;
  let counting = true;
  const count = (): void => {
    turn += 1;
    if (counting) setImmediate(count);
  };
  const turns: number[] = [];
  const channel = defineChannel({
    url: '/test',
    tier: 'public',
    open: (connection) => connection.onMessage(() => turns.push(turn)),
  });
  server = await serve([], { channels: [...all, channel] });
  const socket = open(server.port);
  socket.write(upgrade('/test'));
  await once(socket, 'data');
  setImmediate(count);
  socket.write(Buffer.concat(Array.from({ length: 200 }, () => frame(0x81, Buffer.from('1')))));
  while (turns.length < 200) await new Promise(setImmediate);
  counting = false;
  socket.destroy();
  expect(new Set(turns).size).toBe(200);
});

describe('a refused connection', () => {
  it('gets the envelope when the process has its maximum, until another client disconnects', async () => {
    server = await serve([], { limits: { webSocketsPerProcess: 2 } });
    const url = `${server.origin}/ws`;
    const clients = [connectTo(url), connectTo(url)];
    for (const { next } of clients) await next();
    expect(await refusalOf(url)).toMatchObject({
      status: 503,
      code: 'OVERLOADED',
      headers: { 'retry-after': '5' },
      body: { success: false, error: 'The server has too many open WebSockets' },
    });
    clients[0]?.socket.close();
    await clients[0]?.closed;
    expect(await connectTo(url).next()).toMatchObject({ type: 'CONNECTION_TEST' });
  });

  it.each(['/nowhere', '/wss', '/ws/nowhere'])('finds no channel at %s', async (path) => {
    server = await serve();
    expect(await refusalOf(`${server.origin}${path}`)).toMatchObject({ status: 404, code: 'ROUTE_NOT_FOUND' });
  });

  it('does not affect requests to routes', async () => {
    server = await serve();
    expect(await refusalOf(`${server.origin}/agents`)).toMatchObject({ status: 200, body: { success: true } });
  });

  it('gets status 426 when the request is not an upgrade', async () => {
    server = await serve();
    const response = await fetch(`${server.origin}/ws`);
    expect([response.status, response.headers.get('x-error-code'), response.headers.get('upgrade')]).toEqual([
      426,
      'UPGRADE_REQUIRED',
      'websocket',
    ]);
    expect(await response.json()).toEqual({ success: false, error: '/ws is a WebSocket: connect with ws:' });
  });

  it.each([
    ['no key', (text: string) => text.replace(/sec-websocket-key.*\r\n/, '')],
    ['an unknown version', (text: string) => text.replace('version: 13', 'version: 99')],
    [
      'protocols that are not well-formed',
      (text: string) => text.replace('host: localhost', 'host: localhost\r\nsec-websocket-protocol: ,'),
    ],
  ])('gets the envelope with %s', async (_, spoil) => {
    server = await serve();
    const answer = await exchange(server.port, spoil(upgrade('/ws')));
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
    expect(answer).toContain('x-error-code: INVALID_REQUEST');
    expect(answer).toContain('{"success":false,"error":"The request is not a valid WebSocket handshake');
  });

  it('gets the envelope with an invalid query', async () => {
    const channel = defineChannel({
      url: '/ws/counted',
      tier: 'public',
      query: Type.Object({ limit: Type.Optional(Type.Integer({ minimum: 1 })) }),
      open: (connection, { query }) => void connection.send(JSON.stringify(query)),
    });
    server = await serve([], { channels: [...all, channel] });
    const url = `${server.origin}/ws/counted`;
    expect(await refusalOf(`${url}?limit=0`)).toMatchObject({ status: 400, code: 'INVALID_INPUT' });
    expect(await connectTo(`${url}?limit=3`).next()).toEqual({ limit: 3 });
  });

  it('is closed', async () => {
    server = await serve([], { limits: { webSocketsPerProcess: 0 } });
    for (let at = 0; at < 20; at += 1) expect(await exchange(server.port, upgrade('/ws'))).toMatch(/^HTTP\/1.1 503 /);
    const { promise, resolve } = Promise.withResolvers<number>();
    server.app.server.getConnections((_error, count) => resolve(count));
    expect(await promise).toBe(0);
  });
});

describe('pages of other origins', () => {
  const origin = 'https://elsewhere.test';

  it.each([
    ['another', origin],
    ['an opaque origin', 'null'],
    ['this host at another port', 'http://127.0.0.1:1'],
  ])('are refused: %s', async (_, from) => {
    server = await serve();
    expect(await refusalOf(`${server.origin}/ws`, { origin: from })).toMatchObject({
      status: 403,
      code: 'ORIGIN_NOT_ALLOWED',
    });
  });

  it('are accepted with a credential, by `cors`, and with the same origin', async () => {
    server = await serve([], { userOf: () => ({ id: 'ada' }) });
    expect(await connectTo(`${server.origin}/ws`, { origin }).next()).toMatchObject({ success: true });
    await server.close();
    server = await serve([], { cors: { origin: [origin] } });
    expect(await connectTo(`${server.origin}/ws`, { origin }).next()).toMatchObject({ success: true });
    expect(await refusalOf(`${server.origin}/ws`, { origin: 'https://other.test' })).toMatchObject({ status: 403 });
    expect(await connectTo(`${server.origin}/ws`, { origin: server.origin }).next()).toMatchObject({ success: true });
  });

  it('seem to be pages behind a proxy that replaces `Host`, unless it is trusted to forward the host', async () => {
    vi.stubEnv('NODE_ENV', 'production');
    onTestFinished(() => void vi.unstubAllEnvs());
    const headers = { 'x-forwarded-for': '203.0.113.7', 'x-forwarded-host': 'elsewhere.test' };
    server = await serve([], { host: '127.0.0.1' });
    const refusal = await refusalOf(`${server.origin}/ws`, { origin, headers });
    expect(refusal).toMatchObject({ status: 403, code: 'ORIGIN_NOT_ALLOWED' });
    expect(JSON.stringify(refusal.body)).toMatch(/proxy that replaces the header `Host`.*`trustProxy`/);
    expect(await refusalOf(`${server.origin}/ws`, { origin, headers: { host: 'elsewhere.test' } })).toMatchObject({
      status: 101,
    });
    await server.close();

    server = await serve([], { host: '127.0.0.1', trustProxy: 'loopback' });
    expect(await refusalOf(`${server.origin}/ws`, { origin, headers })).toMatchObject({ status: 101 });
  });
});

const gathered = () => {
  const connections: Connection[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const channel = defineChannel({
    url: '/ws/gathered',
    tier: 'public',
    open: (connection) => {
      connections.push(connection);
      connection.send('"open"');
      if (connections.length === 2) resolve();
    },
  });
  return { channel, connections, both: promise };
};

describe('a connection', () => {
  it('is closed with 1013 when its client does not read, and others lose no message', async () => {
    const { both, channel, connections } = gathered();
    server = await serve([], { channels: [channel] });
    const url = `${server.origin}/ws/gathered`;
    const [slow, good] = [connectTo(url), connectTo(url)];
    await Promise.all([slow.next(), good.next(), both]);
    slow.socket.pause();
    const text = JSON.stringify('x'.repeat(64 * 1024));
    const sent = new Map(connections.map((connection) => [connection, 0]));
    let most = 0;
    while (connections.every((connection) => connection.send(text))) {
      for (const connection of connections) {
        sent.set(connection, (sent.get(connection) ?? 0) + 1);
        most = Math.max(most, connection.bufferedBytes);
      }
      // The other client reads all messages.
      expect(await good.next()).toHaveLength(64 * 1024);
    }
    expect(most).toBeLessThanOrEqual(1024 * 1024 + text.length + 14);
    slow.socket.resume();
    expect(await slow.closed).toMatchObject({ code: 1013 });
    const alive = connections.find((connection) => connection.send('"still"'));
    expect(alive).toBeDefined();
    let last = await good.next();
    while (last !== 'still') last = await good.next();
  });

  it('is closed with 1011 when its channel throws, and others stay open', async () => {
    const channel = defineChannel({
      url: '/ws/faulty',
      tier: 'public',
      open: (connection) => {
        connection.send('1');
        connection.onMessage((text) => {
          if (text === 'throw') throw new Error('secret');
          connection.send(text);
        });
      },
    });
    server = await serve([], { channels: [channel] });
    const [bad, good] = [connectTo(`${server.origin}/ws/faulty`), connectTo(`${server.origin}/ws/faulty`)];
    await Promise.all([bad.next(), good.next()]);
    bad.socket.send('throw');
    expect(await bad.closed).toEqual({ code: 1011, reason: 'internal error' });
    good.socket.send('2');
    expect(await good.next()).toBe(2);
  });

  it('is closed when its peer does not answer pings', async () => {
    const { promise: gone, resolve } = Promise.withResolvers<void>();
    const channel = defineChannel({
      url: '/ws/quiet',
      tier: 'public',
      open: (connection) => connection.onClose(resolve),
    });
    server = await serve([], { channels: [channel], limits: { pingMs: 20 } });
    const socket = open(server.port);
    socket.write(upgrade('/ws/quiet'));
    await gone;
    expect(socket.destroyed).toBe(false);
    await once(socket.resume(), 'close');
  });

  it.each([
    ['a user', '/ws/approvals?token=ada'],
    ['a console role', '/ws/logs?token=vera'],
    ['a console role', '/ws/observability?token=vera'],
  ])('is closed after 15 minutes to check the token of %s again: %s', async (_, path) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const provider = {
      type: 'names',
      verifyToken: (token: string) => ({ id: token, roles: token === 'vera' ? ['support'] : [] }),
    };
    server = await serve([], { auth: { provider, consoleRoles: { support: 'viewer' } } });
    const { closed, next } = connectTo(server.origin + path);
    await next();
    vi.advanceTimersByTime(15 * 60_000);
    expect(await closed).toMatchObject({ code: 1012 });
  });

  it('stays open while its peer answers pings', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    server = await serve([], { limits: { pingMs: 300 } });
    const { next, socket } = connectTo(`${server.origin}/ws`);
    await next();
    for (let pings = 0; pings < 3; pings += 1) {
      const pinged = once(socket, 'ping');
      vi.advanceTimersByTime(300);
      await pinged;
      // Arrives after the pong.
      socket.send('1');
      expect(await next()).toMatchObject({ data: 1 });
    }
  });
});

describe('a server that closes', () => {
  it('closes connections with 1012, so that clients reconnect', async () => {
    server = await serve();
    const { closed, next } = connectTo(`${server.origin}/ws`);
    await next();
    await Promise.all([server.close(), closed]);
    expect(await closed).toEqual({ code: 1012, reason: 'the server is shutting down' });
  });

  it('refuses new connections while it waits for running work', async () => {
    const [started, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow = defineRoute({
      ...endpoint,
      method: 'GET',
      url: '/slow',
      operationId: 'slow',
      data: Type.Null(),
      handler: async () => {
        started.resolve();
        await done.promise;
        return null;
      },
    });
    server = await serve([slow]);
    const answer = fetch(`${server.origin}/slow`);
    await started.promise;
    const closed = server.close();
    expect(await refusalOf(`${server.origin}/ws`)).toMatchObject({ status: 503, code: 'SHUTTING_DOWN' });
    done.resolve();
    await closed;
    expect((await answer).status).toBe(200);
  });

  it('waits for unresponsive peers no longer than the grace period', async () => {
    server = await serve([], { limits: { shutdownGraceMs: 50 } });
    const socket = open(server.port);
    socket.write(upgrade('/ws'));
    await once(socket, 'data');
    await expect(server.close()).resolves.toBeUndefined();
    socket.destroy();
  });
});

describe('an app that uses the plugin', () => {
  it.each([
    ['without WebSockets of its own', []],
    ['that has `@fastify/websocket` before', ['before']],
    ['that has `@fastify/websocket` after', ['after']],
  ])('has the channels: %s', async (_, when) => {
    const app = Fastify({ pluginTimeout: 0 });
    if (when.includes('before')) await app.register(webSockets);
    await app.register(halyard, { prefix: '/ai' });
    if (when.includes('after')) await app.register(webSockets);
    if (when.length > 0) {
      await app.register(async (scope) => {
        scope.get('/mine', { websocket: true }, (socket) => socket.send('"mine"'));
      });
    }
    const origin = await app.listen({ port: 0 });
    const client = connectTo(`${origin}/ai/ws`);
    expect(await client.next()).toMatchObject({ type: 'CONNECTION_TEST' });
    client.socket.send('1');
    expect(await client.next()).toMatchObject({ data: 1 });
    if (when.length > 0) expect(await connectTo(`${origin}/mine`).next()).toBe('mine');
    client.socket.close();
    await client.closed;
    await app.close();
  });

  it('leaves other upgrades, and HTTP requests that offer another protocol, unchanged', async () => {
    const app = Fastify({ pluginTimeout: 0 });
    await app.register(halyard, {});
    app.post('/echo', ({ body }) => body);
    const origin = await app.listen({ port: 0 });
    const { port } = new URL(origin);
    const h2c = [
      'POST /echo HTTP/1.1',
      'host: localhost',
      'connection: Upgrade, close',
      'upgrade: h2c',
      'content-type: application/json',
      'content-length: 7',
      '',
      '{"a":1}',
    ];
    expect(await exchange(Number(port), h2c.join('\r\n'))).toContain('{"a":1}');
    app.server.on('upgrade', (request, socket) => {
      if (request.url === '/theirs') socket.end('HTTP/1.1 101 Theirs\r\n\r\n');
    });
    expect(await exchange(Number(port), upgrade('/theirs'))).toBe('HTTP/1.1 101 Theirs\r\n\r\n');
    const client = connectTo(`${origin}/ws`);
    expect(await client.next()).toMatchObject({ success: true });
    client.socket.close();
    await client.closed;
    await app.close();
  });
});

describe('an app with its own WebSockets', () => {
  it('serves both, and keeps its own limits', async () => {
    const own = await createServer({ logger: 'silent', signals: false, limits: unreachableLimits });
    await own.app.register(webSockets);
    own.app.get('/mine', { websocket: true }, (socket) => socket.send('"mine"'));
    const origin = await own.listen({ port: 0 });
    const [mine, ours] = [connectTo(`${origin}/mine`), connectTo(`${origin}/ws`)];
    expect(await mine.next()).toBe('mine');
    expect(await ours.next()).toMatchObject({ type: 'CONNECTION_TEST' });
    ours.socket.send('1'.repeat(64 * 1024 + 1));
    expect(await ours.closed).toMatchObject({ code: 1009 });
    const other = connectTo(`${origin}/ws`);
    await other.next();
    await own.close();
    expect(await other.closed).toMatchObject({ code: 1012 });
    await mine.closed;
  });
});
