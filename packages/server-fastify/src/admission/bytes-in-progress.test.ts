import { EventEmitter, once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Type } from '@sinclair/typebox';
import Fastify from 'fastify';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { defineRoute } from '../api/define/define-route.ts';
import { toCaller } from '../http/endpoints/endpoint-call.ts';
import type { ServerOptions } from '../server-options.ts';
import { endpoint, serve, type Served } from '../testing/serve.ts';
import { BytesInProgress } from './bytes-in-progress.ts';

let server: Served | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const postLarge = (origin: string, user: string, body: string | ReadableStream<Uint8Array>): Promise<Response> =>
  fetch(`${origin}/large`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-user': user },
    body,
    ...(typeof body !== 'string' && { duplex: 'half' }),
  });

const as = (user: string): RequestInit => ({ headers: { 'x-user': user } });

describe('bodies of requests in progress', () => {
  const mebibyte = 1024 * 1024;
  const megabytes = (count: number): string => JSON.stringify({ text: 'x'.repeat(count * mebibyte - 100) });

  /** A server with the route `/large`, which answers when the test calls `end`. */
  async function serveLarge(limits: ServerOptions['limits']): Promise<{
    readonly origin: string;
    readonly running: () => number;
    readonly end: () => void;
  }> {
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

  it('of one user are limited to its share until they are answered', async () => {
    const { end, origin, running } = await serveLarge({ bytesInProgress: 8 * mebibyte });
    const accepted = [3, 1].map((count) => postLarge(origin, 'busy', megabytes(count)));
    await expect.poll(() => running()).toBe(2);

    const refused = await postLarge(origin, 'busy', megabytes(1));
    expect([refused.status, refused.headers.get('x-error-code'), refused.headers.get('retry-after')]).toEqual([
      429,
      'TOO_MANY_BYTES',
      '5',
    ]);
    expect(await refused.json()).toMatchObject({
      error: expect.stringContaining('bytes in bodies and unread replies'),
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
      bodyBytes: 4 * mebibyte,
      bytesInProgress: 10 * mebibyte,
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
    const { end, origin, running } = await serveLarge({ bytesInProgress: 8 * mebibyte });
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

describe('replies that are not read', () => {
  const replyBytes = 4 * 1024 * 1024;

  /** A server with the route `/page`. */
  async function servePage(limits: ServerOptions['limits'], bytes = replyBytes): Promise<Served> {
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
  function ask({ origin }: Pick<Served, 'origin'>, user: string): Socket {
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
    const served = await servePage({ bytesInProgress: 40 * 1024 * 1024 });
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
    const inProgress = new BytesInProgress({
      bytes,
      unreadMs: 50,
      callerOf: (request) => toCaller(request, () => undefined),
    });
    const app = Fastify();
    let closed: Promise<unknown> | undefined;
    app.get('/page', (request, reply) => {
      inProgress.countReply(request, reply, bytes);
      closed ??= once(request.raw.socket, 'close');
      return 'x'.repeat(bytes);
    });
    const origin = await app.listen({ host: '127.0.0.1', port: 0 });
    const client = ask({ origin }, 'slow');
    await expect.poll(() => closed).toBeDefined();
    await closed;
    // It reads only the status: the whole reply might take longer than this short time.
    const accepted = async (): Promise<number> => {
      const response = await fetch(`${origin}/page`);
      await response.body?.cancel();
      return response.status;
    };
    await expect.poll(accepted).toBe(200);
    client.destroy();
    await app.close();
  });

  it('of an injected request are complete', async () => {
    const { app } = await servePage({});
    const reply = await app.inject('/page');
    expect([reply.statusCode, reply.body.length > replyBytes]).toEqual([200, true]);
  });
});
