import { once } from 'node:events';
import { HalyardError, InvalidInputError, ToolFailedError } from '@halyard/contracts';
import { Type } from '@sinclair/typebox';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { endpoint, open, serve, type Served } from '../../testing/serve.ts';
import { defineRoute } from '../define/define-route.ts';
import { defineStream } from '../define/define-stream.ts';

/** A source of events that a test controls. */
class TestSource {
  /** Number of times that a batch was requested. */
  reads = 0;
  /** Number of times that the source was released before its end. */
  released = 0;
  readonly #queue: (readonly string[] | Error | 'end')[] = [];
  #wake: (() => void) | undefined;

  push(...batch: string[]): void {
    this.#add(batch);
  }

  end(): void {
    this.#add('end');
  }

  fail(error: Error): void {
    this.#add(error);
  }

  async *batches(signal: AbortSignal): AsyncGenerator<readonly string[], void, undefined> {
    let isEarly = true;
    try {
      while (!signal.aborted) {
        this.reads += 1;
        if (this.#queue.length === 0) await this.#added(signal);
        const next = this.#queue.shift();
        if (next === 'end') {
          isEarly = false;
          return;
        }
        if (next instanceof Error) throw next;
        if (next !== undefined) yield next;
      }
    } finally {
      if (isEarly) this.released += 1;
    }
  }

  async #added(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      signal.addEventListener('abort', () => resolve());
    });
  }

  #add(next: readonly string[] | Error | 'end'): void {
    this.#queue.push(next);
    this.#wake?.();
  }
}

/** A source that never waits and never ends by itself. */
class EndlessSource {
  reads = 0;
  released = 0;
  readonly #event: string;

  constructor(bytes: number) {
    this.#event = 'x'.repeat(bytes);
  }

  async *batches(): AsyncGenerator<readonly string[], void, undefined> {
    try {
      for (;;) {
        this.reads += 1;
        yield [this.#event];
      }
    } finally {
      this.released += 1;
    }
  }
}

const servers: Served[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

interface Setting extends NonNullable<Parameters<typeof serve>[1]> {
  readonly source?: Pick<TestSource, 'batches'>;
  readonly failToOpen?: Error;
}

async function serveStream({ failToOpen, source = new TestSource(), ...options }: Setting = {}): Promise<
  Served & { signals: AbortSignal[] }
> {
  const signals: AbortSignal[] = [];
  const stream = defineStream({
    ...endpoint,
    method: 'POST',
    url: '/stream',
    operationId: 'stream',
    event: Type.String(),
    headers: { 'x-format': 'v1' },
    encode: (event: string) => (event === '' ? '' : `data: ${event}\n\n`),
    encodeFailure: (error) => `data: failure ${error}\n\n`,
    terminator: 'data: [DONE]\n\n',
    handler: async ({ signal }) => {
      signals.push(signal);
      if (failToOpen !== undefined) throw failToOpen;
      return source.batches(signal);
    },
  });
  const slow = defineRoute({
    ...endpoint,
    method: 'GET',
    url: '/slow',
    operationId: 'slow',
    data: Type.String(),
    handler: async ({ signal }) => {
      signals.push(signal);
      await once(signal, 'abort');
      throw new HalyardError('unavailable', 'ABORTED', 'The run was aborted');
    },
  });
  const served = await serve([stream, slow], options);
  servers.push(served);
  return { ...served, signals };
}

function start({ origin }: Served, init: RequestInit = {}): Promise<Response> {
  return fetch(`${origin}/stream`, { method: 'POST', ...init });
}

/** Reads until `text` has arrived. */
async function readUntil(reader: ReadableStreamDefaultReader<Uint8Array>, text: string): Promise<string> {
  const decoder = new TextDecoder();
  for (let all = ''; ;) {
    const { done, value } = await reader.read();
    if (value !== undefined) all += decoder.decode(value, { stream: true });
    if (done || all.includes(text)) return all;
  }
}

function readerOf(response: Response): ReadableStreamDefaultReader<Uint8Array> {
  if (response.body === null) throw new InvalidInputError('the answer has no body');
  return response.body.getReader();
}

describe('a stream', () => {
  it('sends its events, then its terminator, with the headers of SSE and its own', async () => {
    const source = new TestSource();
    source.push('a', '', 'b');
    source.push('c');
    source.end();
    const response = await start(await serveStream({ source }));
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'x-format': 'v1',
      'x-request-id': expect.any(String),
    });
    expect(await response.text()).toBe('data: a\n\ndata: b\n\ndata: c\n\ndata: [DONE]\n\n');
    expect(source.released).toBe(0);
  });

  it('sends the events of a batch as one chunk', async () => {
    const source = new TestSource();
    source.push('a', 'b', 'c');
    const server = await serveStream({ source });
    const socket = open(server.port);
    socket.write('POST /stream HTTP/1.1\r\nhost: localhost\r\n\r\n');
    const [first] = await once(socket, 'data');
    expect(String(first)).toContain('\r\n\r\n1b\r\ndata: a\n\ndata: b\n\ndata: c\n\n\r\n');
    socket.destroy();
  });

  it('sends its head at once when there is no event yet', async () => {
    const source = new TestSource();
    const response = await start(await serveStream({ source }));
    expect(response.status).toBe(200);
    source.end();
    expect(await response.text()).toBe('data: [DONE]\n\n');
  });

  it('replies with JSON if it cannot start', async () => {
    const response = await start(await serveStream({ failToOpen: new InvalidInputError('body/input is odd') }));
    expect([response.status, response.headers.get('content-type')]).toEqual([400, 'application/json; charset=utf-8']);
    expect(await response.json()).toEqual({ success: false, error: 'body/input is odd' });
  });

  it('sends a later failure as one last event, without details of internal errors', async () => {
    const texts = [];
    for (const error of [new ToolFailedError('x'), new TypeError('secret: hunter2')]) {
      const source = new TestSource();
      source.push('a');
      source.fail(error);
      texts.push(await (await start(await serveStream({ source }), { headers: { 'x-request-id': 'r1' } })).text());
    }
    expect(texts).toEqual([
      'data: a\n\ndata: failure Tool "x" failed\n\n',
      'data: a\n\ndata: failure Internal server error (request r1)\n\n',
    ]);
  });

  it('is pinged with a comment', async () => {
    const source = new TestSource();
    const reader = readerOf(await start(await serveStream({ source, limits: { pingMs: 5 } })));
    expect(await readUntil(reader, ': ping\n\n: ping\n\n')).toMatch(/^(: ping\n\n)+$/);
    await reader.cancel();
  });

  it('has the headers of CORS', async () => {
    const source = new TestSource();
    source.end();
    const response = await start(await serveStream({ source, cors: true }), {
      headers: { origin: 'https://app.example' },
    });
    expect(response.headers.get('access-control-allow-origin')).toBe('https://app.example');
    expect(response.headers.get('access-control-expose-headers')).toContain('x-request-id');
    await response.text();
  });
});

describe('a client that disconnects', () => {
  it('releases the source and aborts the signal', async () => {
    const source = new TestSource();
    source.push('a');
    const server = await serveStream({ source });
    const reader = readerOf(await start(server));
    await readUntil(reader, 'a');
    await reader.cancel();
    await expect.poll(() => source.released).toBe(1);
    expect(server.signals[0]?.aborted).toBe(true);
  });

  it('aborts the signal of a request that is not answered yet', async () => {
    const server = await serveStream();
    const leaving = new AbortController();
    const answer = fetch(`${server.origin}/slow`, { signal: leaving.signal }).catch(() => 'gone');
    await expect.poll(() => server.signals).toHaveLength(1);
    leaving.abort();
    expect(await answer).toBe('gone');
    await expect.poll(() => server.signals[0]?.aborted).toBe(true);
  });

  it('frees its slot each time, over a hundred connections', async () => {
    const server = await serveStream();
    for (let round = 0; round < 100; round += 1) {
      const socket = open(server.port);
      socket.write('POST /stream HTTP/1.1\r\nhost: localhost\r\n\r\n');
      await once(socket, 'data');
      socket.destroy();
      await once(socket, 'close');
    }
    await expect.poll(() => server.signals.every(({ aborted }) => aborted)).toBe(true);
    // The limit per caller is 50: if one slot were still in use, this would be refused.
    const open50 = await Promise.all(Array.from({ length: 50 }, () => start(server)));
    expect(open50.map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 200));
    await Promise.all(open50.map(async (response) => response.body?.cancel()));
  });
});

it('requests no batch from the source while the client does not read', async () => {
  const source = new EndlessSource(16 * 1024);
  const server = await serveStream({ source });
  const accepted = once(server.app.server, 'connection');
  const socket = open(server.port).pause();
  socket.write('POST /stream HTTP/1.1\r\nhost: localhost\r\n\r\n');
  const [connection] = await accepted;

  // Once the buffers of the kernel are full, no batch is requested.
  let before = -1;
  await vi.waitFor(
    () => {
      const last = before;
      before = source.reads;
      expect(source.reads).toBe(last);
    },
    { interval: 50, timeout: 60_000 },
  );
  expect(source.reads).toBeGreaterThan(0);
  expect(connection.writableLength).toBeLessThan(256 * 1024);

  const stalled = source.reads;
  socket.resume();
  await expect.poll(() => source.reads).toBeGreaterThan(stalled + 10);
  socket.destroy();
  await expect.poll(() => source.released).toBe(1);
});

describe('too many streams', () => {
  it('of one caller are refused until one ends', async () => {
    const server = await serveStream({ limits: { streamsPerCaller: 2 } });
    const [first, second] = await Promise.all([start(server), start(server)]);
    const refused = await start(server);
    expect([refused.status, refused.headers.get('x-error-code')]).toEqual([429, 'TOO_MANY_STREAMS']);
    expect(refused.headers.get('retry-after')).toBe('5');
    expect(await refused.json()).toEqual({ success: false, error: 'You have 2 open streams: close one first' });

    await first.body?.cancel();
    const third = await vi.waitFor(
      async () => {
        const response = await start(server);
        expect(response.status).toBe(200);
        return response;
      },
      { timeout: 60_000 },
    );
    await Promise.all([second.body?.cancel(), third.body?.cancel()]);
  });

  it('of all callers together are refused for now', async () => {
    const server = await serveStream({
      limits: { streamsPerCaller: 1 },
      userOf: ({ headers }) => ({ id: String(headers['x-user']) }),
    });
    const as = (user: string): RequestInit => ({ headers: { 'x-user': user } });
    const streams = await Promise.all(Array.from({ length: 10 }, (_, user) => start(server, as(`${user}`))));
    const refused = await start(server, as('one more'));
    expect([refused.status, refused.headers.get('x-error-code'), refused.headers.get('retry-after')]).toEqual([
      503,
      'OVERLOADED',
      '5',
    ]);
    for (const { body } of streams) await body?.cancel();
  });
});

describe('a server that closes', () => {
  it('lets a stream finish within the grace period, and refuses new requests', async () => {
    const source = new TestSource();
    source.push('a');
    const server = await serveStream({ source });
    const reader = readerOf(await start(server));
    await readUntil(reader, 'a');
    const closed = server.close();
    expect(server.close()).toBe(closed);

    const readiness = await fetch(`${server.origin}/readyz`);
    expect([readiness.status, await readiness.json()]).toEqual([503, { status: 'draining' }]);
    expect(readiness.headers.get('retry-after')).toBe('5');
    const refused = await start(server);
    expect([refused.status, refused.headers.get('connection'), refused.headers.get('retry-after')]).toEqual([
      503,
      'close',
      '5',
    ]);
    expect(await refused.json()).toEqual({ success: false, error: 'The server is shutting down' });

    source.push('b');
    source.end();
    expect(await readUntil(reader, '[DONE]')).toBe('data: b\n\ndata: [DONE]\n\n');
    await closed;
    expect(source.released).toBe(0);
  });

  it('ends streams with a last event, and requests with 503, after the grace period', async () => {
    const source = new TestSource();
    const server = await serveStream({ source, limits: { shutdownGraceMs: 10 } });
    const [stream, slow] = [await start(server), fetch(`${server.origin}/slow`)];
    await expect.poll(() => server.signals).toHaveLength(2);
    const text = stream.text();
    await server.close();
    expect(await text).toBe('data: failure The server is shutting down\n\n');
    expect(source.released).toBe(1);
    expect((await slow).status).toBe(503);
  });

  it('does not wait for a client that never reads', async () => {
    const server = await serveStream({ source: new EndlessSource(64 * 1024), limits: { shutdownGraceMs: 10 } });
    const accepted = once(server.app.server, 'connection');
    const socket = open(server.port).pause();
    socket.write('POST /stream HTTP/1.1\r\nhost: localhost\r\n\r\n');
    const [connection] = await accepted;
    await expect.poll(() => connection.writableNeedDrain).toBe(true);
    await server.close();
    socket.destroy();
  });
});
