import { once } from 'node:events';
import { get } from 'node:http';
import { Type } from '@sinclair/typebox';
import { afterEach, describe, expect, it } from 'vitest';
import { operatorKey } from '../access/identity.ts';
import { defineRoute } from '../api/define/define-route.ts';
import type { ServerOptions } from '../server-options.ts';
import { endpoint, serve, type Served, type ServedOptions } from '../testing/serve.ts';
import { connectTo, refusalOf } from '../testing/sockets.ts';
import { CallerSlots } from './caller-slots.ts';

let server: Served | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

/** A server with the route `/slow`, which answers when the test calls `end`. */
async function serveSlow(options: ServedOptions = {}): Promise<{
  readonly origin: string;
  readonly running: () => number;
  readonly end: () => void;
}> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let running = 0;
  const slow = defineRoute({
    ...endpoint,
    method: 'GET',
    url: '/slow',
    operationId: 'slow',
    data: Type.String(),
    handler: async () => {
      running += 1;
      await promise;
      running -= 1;
      return 'done';
    },
  });
  server = await serve([slow], {
    ...options,
    userOf: ({ headers }) => (typeof headers['x-user'] === 'string' ? { id: headers['x-user'] } : undefined),
  });
  return { origin: server.origin, running: () => running, end: resolve };
}

const as = (user: string): RequestInit => ({ headers: { 'x-user': user } });

describe('slots', () => {
  const slots = (limits: { readonly perCaller?: number; readonly perProcess: number }): CallerSlots =>
    new CallerSlots({ what: 'open doors', advice: 'close one first', code: 'TOO_MANY_DOORS', ...limits });

  it('are limited for each caller and for the process', () => {
    const doors = slots({ perCaller: 1, perProcess: 2 });
    const release = doors.reserve('ada');
    expect(() => doors.check('ada')).toThrow(
      expect.objectContaining({ code: 'TOO_MANY_DOORS', message: 'You have 1 open doors: close one first' }),
    );
    doors.take('ben');
    expect(() => doors.check('cem')).toThrow(expect.objectContaining({ kind: 'unavailable', code: 'OVERLOADED' }));
    release();
    doors.check('ada');
  });

  it('are half of all for one caller alone without a limit of its own', () => {
    const doors = slots({ perProcess: 8 });
    for (let taken = 0; taken < 4; taken += 1) doors.reserve('ada');
    doors.reserve('ada');
    expect(() => doors.check('ada')).toThrow(expect.objectContaining({ code: 'TOO_MANY_DOORS' }));
    doors.reserve('ben');
  });

  it('are left to the console key, up to the limit of a caller', () => {
    const doors = slots({ perCaller: 2, perProcess: 2 });
    for (const caller of ['ada', 'ada', operatorKey, operatorKey]) doors.reserve(caller);
    expect(() => doors.check(operatorKey)).toThrow(expect.objectContaining({ code: 'TOO_MANY_DOORS' }));
  });
});

describe('requests in progress', () => {
  it('of one user are limited, and do not keep others out', async () => {
    const { end, origin, running } = await serveSlow({ limits: { requestsPerCaller: 3 } });
    const accepted = [1, 2, 3].map(() => fetch(`${origin}/slow`, as('busy')));
    await expect.poll(() => running()).toBe(3);

    const refused = await fetch(`${origin}/slow`, as('busy'));
    expect([refused.status, refused.headers.get('x-error-code'), refused.headers.get('retry-after')]).toEqual([
      429,
      'TOO_MANY_REQUESTS',
      '5',
    ]);
    expect(await refused.json()).toEqual({
      success: false,
      error: 'You have 3 requests in progress: wait until one has ended',
    });
    expect((await fetch(`${origin}/agents`, as('other'))).status).toBe(200);
    expect((await fetch(`${origin}/agents`)).status).toBe(200);
    expect((await fetch(`${origin}/healthz`, as('busy'))).status).toBe(200);

    end();
    expect((await Promise.all(accepted)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await fetch(`${origin}/agents`, as('busy'))).status).toBe(200);
  });

  it('are not all accepted when one user sends 600 at the same time', async () => {
    const { end, origin, running } = await serveSlow();
    const replies = Array.from({ length: 600 }, () => fetch(`${origin}/slow`, as('busy')));
    await expect.poll(() => running()).toBe(200);
    expect((await fetch(`${origin}/agents`, as('other'))).status).toBe(200);
    end();
    const statuses = (await Promise.all(replies)).map(({ status }) => status);
    // A client opens its connections one after the other, so some requests may arrive after the
    // first replies.
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(0);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
  });

  it('without a user are counted by their address', async () => {
    const { end, origin, running } = await serveSlow({ limits: { requestsPerCaller: 1 } });
    const first = fetch(`${origin}/slow`);
    await expect.poll(() => running()).toBe(1);
    expect(await statusFrom('127.0.0.1', `${origin}/agents`)).toBe(429);
    expect(await statusFrom('127.0.0.2', `${origin}/agents`)).toBe(200);
    end();
    expect((await first).status).toBe(200);
  });

  it('of all callers are at most ten times as many, of which one who comes later gets its share', async () => {
    const { end, origin, running } = await serveSlow({ limits: { requestsPerCaller: 3 } });
    const send = (user: string): Promise<Response> => fetch(`${origin}/slow`, as(user));
    const busy = Array.from({ length: 9 }, (_, user) => [1, 2, 3].map(() => send(`busy ${user}`))).flat();
    await expect.poll(() => running()).toBe(27);
    const later = [send('later'), send('later')];
    await expect.poll(() => running()).toBe(29);
    expect((await send('later')).status).toBe(429);
    const last = send('last');
    await expect.poll(() => running()).toBe(30);
    const refused = await send('too late');
    expect([refused.status, refused.headers.get('x-error-code')]).toEqual([503, 'OVERLOADED']);
    end();
    for (const { status } of await Promise.all([...busy, ...later, last])) expect(status).toBe(200);
  });
});

describe('open WebSockets', () => {
  const consoleKey = 'a console key for this test';
  const auth = {
    mode: 'legacy',
    provider: { type: 'test', verifyToken: () => null },
    consoleKey,
  } satisfies ServerOptions['auth'];

  it('of one caller are limited', async () => {
    server = await serve([], { limits: { webSocketsPerCaller: 2 } });
    const url = `${server.origin}/ws`;
    const clients = [connectTo(url), connectTo(url)];
    for (const { next } of clients) await next();
    expect(await refusalOf(url)).toMatchObject({
      status: 429,
      code: 'TOO_MANY_WEBSOCKETS',
      headers: { 'retry-after': '5' },
      body: { success: false, error: 'You have 2 open WebSockets: close one first' },
    });
    clients[0]?.socket.close();
    await clients[0]?.closed;
    expect(await connectTo(url).next()).toMatchObject({ type: 'CONNECTION_TEST' });
  });

  it('of strangers, 1 000 of them, do not keep the console key out', async () => {
    server = await serve([], { auth, limits: { webSocketsPerCaller: 1_000 } });
    const strangers = Array.from({ length: 1_000 }, (_, index) =>
      refusalUnlessOpen(`${server?.origin}/ws`, `127.0.${1 + (index % 20)}.1`),
    );
    const opened = (await Promise.all(strangers)).filter((socket) => socket !== undefined);
    expect(opened.length).toBeGreaterThan(900);

    const operator = connectTo(`${server.origin}/ws/logs?key=${encodeURIComponent(consoleKey)}`);
    await once(operator.socket, 'open');
    operator.socket.terminate();
    for (const socket of opened) socket.terminate();
  });

  it('of others do not keep the console key out of a full process', async () => {
    server = await serve([], { auth, limits: { webSocketsPerProcess: 0 } });
    expect(await refusalOf(`${server.origin}/ws`)).toMatchObject({ status: 503, code: 'OVERLOADED' });
    expect(await refusalOf(`${server.origin}/ws/logs?key=${encodeURIComponent(consoleKey)}`)).toMatchObject({
      status: 101,
    });
  });
});

/** A WebSocket from another address of this machine; undefined if it is refused. */
async function refusalUnlessOpen(url: string, localAddress: string): Promise<{ terminate(): void } | undefined> {
  const { closed, socket } = connectTo(url, { localAddress });
  const isOpen = await Promise.race([once(socket, 'open').then(() => true), closed.then(() => false)]);
  return isOpen ? socket : undefined;
}

async function statusFrom(localAddress: string, url: string): Promise<number | undefined> {
  const [response] = await once(get(url, { localAddress }), 'response');
  response.resume();
  return response.statusCode as number | undefined;
}
