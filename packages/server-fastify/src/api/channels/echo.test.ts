import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ServerOptions } from '../../server-options.ts';
import { serve, type Served } from '../../testing/serve.ts';
import { connectTo, refusalOf } from '../../testing/sockets.ts';

let server: Served;
afterEach(async () => {
  vi.unstubAllEnvs();
  await server.close();
});

const opened = async (options: Parameters<typeof serve>[1] = {}) => {
  server = await serve([], options);
  return connectTo(`${server.origin}/ws`);
};

describe('/ws', () => {
  it('reports that the connection works and that there is no verified user', async () => {
    const { next } = await opened();
    expect(await next()).toEqual({
      type: 'CONNECTION_TEST',
      success: true,
      data: { message: 'The connection works', timestamp: expect.stringMatching(/^\d{4}-.*Z$/), authenticated: false },
    });
  });

  it.each([
    ['id', { id: 'ada', sub: 'auth|1' }, 'ada'],
    ['sub', { sub: 'auth|1' }, 'auth|1'],
  ])('reports the verified user, by %s', async (_, user, userId) => {
    const { next } = await opened({ userOf: () => user });
    expect(await next()).toMatchObject({ data: { authenticated: true, userId } });
  });

  it.each(['policy', 'legacy'] as const)(
    'reports a valid key, and a valid token where one is accepted: %s',
    async (mode) => {
      const provider = { type: 'test', verifyToken: (token: string) => (token === 'ada' ? { id: 'ada' } : null) };
      const consoleKey = 'the key of the operator';
      const open = mode === 'policy' ? { publicRoutes: ['WS /ws'] } : {};
      server = await serve([], { auth: { mode, provider, consoleKey, rejectedPerMinute: 2, ...open } });
      const reported = (query: string) => connectTo(`${server.origin}/ws${query}`).next();
      const key = encodeURIComponent(consoleKey);
      expect(await reported(`?key=${key}`)).toMatchObject({ data: { authenticated: true } });
      expect(await reported('?token=ada')).toMatchObject({ data: { authenticated: true, userId: 'ada' } });
      expect(await reported('')).toMatchObject({ data: { authenticated: false } });
      // Guesses are limited, though the channel is open.
      for (let sent = 0; sent < 2; sent += 1)
        expect(await reported('?token=eve')).toMatchObject({ data: { authenticated: false } });
      expect(await refusalOf(`${server.origin}/ws?key=guess`)).toMatchObject({ status: 429 });
    },
  );

  describe.each(['development', 'production'])('NODE_ENV %s', (environment) => {
    it.each(['policy', 'legacy'] as const)(
      'reports the user of a token that is sent beside the key: %s',
      async (mode) => {
        vi.stubEnv('NODE_ENV', environment);
        const verifyToken = (token: string) => ({ ada: { id: 'ada' }, service: { scope: 'metrics' } })[token] ?? null;
        server = await serve([], { auth: { mode, provider: { type: 'test', verifyToken }, consoleKey: 'secret' } });
        const key = { 'x-console-access-key': 'secret' };
        const token = { authorization: 'Bearer ada' };
        const reported = (query: string, headers: Readonly<Record<string, string>> = {}) =>
          connectTo(`${server.origin}/ws${query}`, { headers }).next();
        const both = { data: { authenticated: true, userId: 'ada' } };
        expect(await reported('?key=secret&token=ada')).toMatchObject(both);
        expect(await reported('?key=secret', token)).toMatchObject(both);
        expect(await reported('?token=ada', key)).toMatchObject(both);
        expect(await reported('', { ...key, ...token })).toMatchObject(both);
        for (const other of ['eve', 'service']) {
          const first = await reported(`?key=secret&token=${other}`);
          expect(first).toMatchObject({ data: { authenticated: true } });
          expect(first).not.toHaveProperty('data.userId');
        }
        if (environment === 'production') return;
        expect(await reported('?dev=true&token=ada')).toMatchObject(both);
        expect(await reported('?dev=true')).toMatchObject({ data: { authenticated: false } });
      },
    );
  });

  it('reports the console key where only the key opens the channel', async () => {
    server = await serve([], { auth: { consoleKey: 'secret' } });
    const first = await connectTo(`${server.origin}/ws?key=secret`).next();
    expect(first).toMatchObject({ data: { authenticated: true } });
    expect(first).not.toHaveProperty('data.userId');
  });

  it.each([
    ['an object', '{"a":[1,"ü",null]}'],
    ['a text', '"hi"'],
    ['a number with more digits than a double has', '12345678901234567890'],
    ['what is nested deeper than anything else', `${'['.repeat(30_000)}${']'.repeat(30_000)}`],
    ['null', ' null '],
  ])('sends back %s', async (_, text) => {
    const { next, socket } = await opened();
    await next();
    const { promise, resolve } = Promise.withResolvers<string>();
    socket.removeAllListeners('message').once('message', (data: Buffer) => resolve(data.toString()));
    socket.send(text);
    expect(await promise).toBe(`{"type":"ECHO","success":true,"data":${text}}`);
  });

  it('sends back messages that arrive together, in order', async () => {
    const { next, socket } = await opened();
    await next();
    for (let at = 0; at < 100; at += 1) socket.send(String(at));
    for (let at = 0; at < 100; at += 1) expect(await next()).toEqual({ type: 'ECHO', success: true, data: at });
  });

  it.each([
    ['not JSON', 'hello', 'message is not valid JSON'],
    ['empty', '', 'message is not valid JSON'],
    ['binary', Buffer.from('{}'), 'message must be text, not binary'],
  ])('answers a message that is %s with an error, and continues', async (_, message, error) => {
    const { next, socket } = await opened();
    await next();
    socket.send(message);
    expect(await next()).toEqual({ type: 'ERROR', success: false, error });
    socket.send('1');
    expect(await next()).toEqual({ type: 'ECHO', success: true, data: 1 });
  });

  it('is served under a prefix', async () => {
    const options: ServerOptions = { prefix: '/ai' };
    server = await serve([], options);
    expect(await connectTo(`${server.origin}/ai/ws?x=1`).next()).toMatchObject({ type: 'CONNECTION_TEST' });
  });
});
