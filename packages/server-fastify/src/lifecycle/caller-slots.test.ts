import { EventEmitter, once } from 'node:events';
import { get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Type } from '@sinclair/typebox';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { defineRoute } from '../define/define-route.ts';
import type { ServerOptions } from '../server-options.ts';
import { endpoint, serve, type Served } from '../testing/serve.ts';
import { connectTo, refusalOf } from '../testing/sockets.ts';

let server: Served | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

/** A server with the route `/slow`, which answers when the test calls `end`. */
async function serveSlow(options: ServerOptions = {}): Promise<{
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

const postLarge = (origin: string, user: string, body: string | ReadableStream<Uint8Array>): Promise<Response> =>
  fetch(`${origin}/large`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-user': user },
    body,
    ...(typeof body !== 'string' && { duplex: 'half' }),
  });

const as = (user: string): RequestInit => ({ headers: { 'x-user': user } });

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
    // A client opens its connections one after the other, so some requests may arrive after the first replies.
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

  it('leave a share of the process to callers who come later', async () => {
    const { end, origin, running } = await serveSlow({ limits: { requestsPerCaller: 7, requestsPerProcess: 8 } });
    const busy = Array.from({ length: 8 }, () => fetch(`${origin}/slow`, as('busy')));
    await expect.poll(() => running()).toBe(5);
    expect((await fetch(`${origin}/agents`, as('other'))).status).toBe(200);
    end();
    const statuses = (await Promise.all(busy)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(5);
  });
});

describe('bodies of requests in progress', () => {
  const mebibyte = 1024 * 1024;
  const megabytes = (count: number): string => JSON.stringify({ text: 'x'.repeat(count * mebibyte - 100) });

  /** A server with the route `/large`, which answers when the test calls `end`. */
  async function serveLarge(limits: ServerOptions['limits']): ReturnType<typeof serveSlow> {
    const { promise, resolve } = Promise.withResolvers<void>();
    let running = 0;
    const large = defineRoute({
      ...endpoint,
      method: 'POST',
      url: '/large',
      bodySize: 'agent',
      operationId: 'large',
      body: Type.Object({ text: Type.String() }),
      data: Type.Integer(),
      handler: async ({ body }) => {
        running += 1;
        await promise;
        running -= 1;
        return body.text.length;
      },
    });
    server = await serve([large], {
      limits,
      userOf: ({ headers }) => (typeof headers['x-user'] === 'string' ? { id: headers['x-user'] } : undefined),
    });
    return { origin: server.origin, running: () => running, end: resolve };
  }

  it('of one user are limited by their size until they are answered', async () => {
    const { end, origin, running } = await serveLarge({ transferBytesPerCaller: 4 * mebibyte });
    const accepted = [3, 1].map((count) => postLarge(origin, 'busy', megabytes(count)));
    await expect.poll(() => running()).toBe(2);

    const refused = await postLarge(origin, 'busy', megabytes(1));
    expect([refused.status, refused.headers.get('x-error-code'), refused.headers.get('retry-after')]).toEqual([
      429,
      'TOO_MANY_BYTES',
      '5',
    ]);
    expect(await refused.json()).toMatchObject({
      error: expect.stringContaining('bytes in bodies and unread answers'),
    });
    const others = [postLarge(origin, 'other', megabytes(3)), postLarge(origin, 'busy', '{"text":"a small one"}')];
    await expect.poll(() => running()).toBe(4);

    end();
    const statuses = (await Promise.all([...accepted, ...others])).map(({ status }) => status);
    expect(statuses).toEqual([200, 200, 200, 200]);
    expect((await postLarge(origin, 'busy', megabytes(4))).status).toBe(200);
  });

  it('without a length count as the largest until they have arrived', async () => {
    const { end, origin, running } = await serveLarge({
      agentBodyBytes: 4 * mebibyte,
      transferBytesPerCaller: 5 * mebibyte,
    });
    const inChunks = (text: string): ReadableStream<Uint8Array> => new Blob([text]).stream();
    const first = postLarge(origin, 'busy', inChunks(megabytes(1)));
    await expect.poll(() => running()).toBe(1);
    const second = postLarge(origin, 'busy', inChunks('{"text":"a small one"}'));
    await expect.poll(() => running()).toBe(2);
    const third = postLarge(origin, 'busy', megabytes(4));
    await expect.poll(() => running()).toBe(3);
    expect((await postLarge(origin, 'busy', inChunks('{"text":"another"}'))).status).toBe(429);
    end();
    expect((await Promise.all([first, second, third])).map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it('of all users are limited together, and refused or aborted ones count no more', async () => {
    const { end, origin, running } = await serveLarge({ transferBytesPerProcess: 8 * mebibyte });
    const users = ['a', 'b', 'c', 'd'];
    const first = users.map((user) => postLarge(origin, user, megabytes(2)));
    await expect.poll(() => running()).toBe(4);
    const refused = await postLarge(origin, 'e', megabytes(1));
    expect([refused.status, refused.headers.get('x-error-code')]).toEqual([503, 'OVERLOADED']);
    end();
    await Promise.all(first);

    // A reply may arrive before the server knows that it was sent.
    const acceptsBodyOf = (count: number): Promise<void> =>
      vi.waitFor(async () => expect((await postLarge(origin, 'e', megabytes(count))).status).toBe(200), {
        timeout: 60_000,
      });
    await acceptsBodyOf(4);

    const { port } = new URL(origin);
    const arrived = once(server?.app.server ?? new EventEmitter(), 'request');
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(
      `POST /large HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${3 * mebibyte}\r\n\r\n{`,
    );
    await arrived;
    expect((await postLarge(origin, 'e', megabytes(6))).status).toBe(503);
    socket.destroy();
    await acceptsBodyOf(4);
  });
});

describe('answers that are not read', () => {
  const answerBytes = 4 * 1024 * 1024;

  /** A server with the route `/page`. */
  async function servePage(limits: ServerOptions['limits'], bytes = answerBytes): Promise<Served> {
    const page = defineRoute({
      ...endpoint,
      method: 'GET',
      url: '/page',
      operationId: 'page',
      data: Type.String(),
      handler: async () => 'x'.repeat(bytes),
    });
    server = await serve([page], {
      limits,
      userOf: ({ headers }) => (typeof headers['x-user'] === 'string' ? { id: headers['x-user'] } : undefined),
    });
    return server;
  }

  /** Asks for the page and reads nothing. */
  function ask({ origin }: Served, user: string): Socket {
    const socket = connect(Number(new URL(origin).port), '127.0.0.1').pause();
    socket.on('error', () => {});
    socket.write(`GET /page HTTP/1.1\r\nhost: localhost\r\nx-user: ${user}\r\n\r\n`);
    return socket;
  }

  const statusOf = async ({ origin }: Served, user: string): Promise<number> => {
    const response = await fetch(`${origin}/page`, as(user));
    await response.text();
    return response.status;
  };

  it('are limited for each caller, and those that are read are not', async () => {
    const served = await servePage({ transferBytesPerCaller: 20 * 1024 * 1024 });
    for (let read = 0; read < 10; read += 1) await expect.poll(() => statusOf(served, 'quick')).toBe(200);
    const unread = Array.from({ length: 20 }, () => ask(served, 'slow'));
    await expect.poll(() => statusOf(served, 'slow')).toBe(429);
    expect(await statusOf(served, 'quick')).toBe(200);
    expect((await fetch(`${served.origin}/agents`, as('slow'))).status).toBe(200);
    for (const socket of unread) socket.destroy();
    await expect.poll(() => statusOf(served, 'slow')).toBe(200);
  });

  it('are ended after a time without progress, and count no more', async () => {
    // More than the buffers of the kernel take.
    const bytes = 24 * 1024 * 1024;
    const served = await servePage({ unreadAnswerMs: 50, transferBytesPerCaller: bytes }, bytes - 100);
    const connected = once(served.app.server, 'connection');
    const client = ask(served, 'slow');
    const [connection] = (await connected) as [Socket];
    await once(connection, 'close');
    // It reads only the status: the whole answer might take longer than this short time.
    const accepted = async (): Promise<number> => {
      const response = await fetch(`${served.origin}/page`, as('slow'));
      await response.body?.cancel();
      return response.status;
    };
    await expect.poll(accepted).toBe(200);
    client.destroy();
  });

  it('of an injected request are complete', async () => {
    const { app } = await servePage({});
    const answer = await app.inject('/page');
    expect([answer.statusCode, answer.body.length > answerBytes]).toEqual([200, true]);
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
