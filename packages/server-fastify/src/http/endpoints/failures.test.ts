import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import {
  AbortedError,
  ConfigurationError,
  HalyardError,
  InvalidInputError,
  NotFoundError,
  ToolFailedError,
} from '@halyard/contracts';
import { Type } from '@sinclair/typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineRoute } from '../../api/define/define-route.ts';
import { endpoint, exchange, json, open, serve, type Served } from '../../testing/serve.ts';

const errors: Readonly<Record<string, () => unknown>> = {
  'invalid-input': () => new InvalidInputError('body/x is odd'),
  unauthenticated: () => new HalyardError('unauthenticated', 'UNAUTHENTICATED', 'Authentication required'),
  forbidden: () => new HalyardError('forbidden', 'FORBIDDEN', 'Not yours'),
  'not-found': () => new NotFoundError('working memory', 'x'),
  conflict: () => new HalyardError('conflict', 'ID_TAKEN', 'Taken'),
  'too-large': () => new HalyardError('too-large', 'TOO_LARGE', 'Too large'),
  'rate-limited': () => new HalyardError('rate-limited', 'SLOW_DOWN', 'Slow down'),
  unavailable: () => new HalyardError('unavailable', 'STORAGE_UNAVAILABLE', 'The storage is away'),
  failed: () => new ToolFailedError('getWeather', { cause: new Error('secret: hunter2') }),
  internal: () => new ConfigurationError('secret: hunter2'),
  aborted: () => new AbortedError(),
  plain: () => new Error('secret: hunter2'),
  text: () => 'secret: hunter2',
};

const fail = defineRoute({
  ...endpoint,
  method: 'GET',
  url: '/fail/:with',
  operationId: 'fail',
  params: Type.Object({ with: Type.String({ maxLength: 128 }) }),
  query: Type.Object({
    limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
    all: Type.Optional(Type.Boolean()),
  }),
  data: Type.Object({ limit: Type.Integer(), all: Type.Boolean() }),
  handler: ({ params, query }) => {
    const error = errors[params.with];
    if (error !== undefined) throw error();
    return { limit: query.limit, all: query.all ?? false };
  },
});
const echo = defineRoute({
  ...endpoint,
  method: 'POST',
  url: '/echo',
  operationId: 'echo',
  body: Type.Object({ n: Type.Optional(Type.Number()), tag: Type.Optional(Type.String({ default: 'x' })) }),
  data: Type.Unknown(),
  handler: ({ body }) => body,
});

let server: Served;
beforeAll(async () => {
  server = await serve([fail, echo], { limits: { bodyBytes: 16_000 } });
});
afterAll(async () => server.close());

async function ask(
  path: string,
  init?: RequestInit,
): Promise<{ status: number; code: string | null; id: string | null; body: unknown; headers: Headers }> {
  const response = await fetch(`${server.origin}${path}`, init);
  const { headers, status } = response;
  return {
    status,
    code: headers.get('x-error-code'),
    id: headers.get('x-request-id'),
    body: await response.json(),
    headers,
  };
}

describe('a handler that throws', () => {
  it.each([
    ['invalid-input', 400, 'INVALID_INPUT', 'body/x is odd'],
    ['unauthenticated', 401, 'UNAUTHENTICATED', 'Authentication required'],
    ['forbidden', 403, 'FORBIDDEN', 'Not yours'],
    ['not-found', 404, 'WORKING_MEMORY_NOT_FOUND', 'Working memory not found: x'],
    ['conflict', 409, 'ID_TAKEN', 'Taken'],
    ['too-large', 413, 'TOO_LARGE', 'Too large'],
    ['rate-limited', 429, 'SLOW_DOWN', 'Slow down'],
    ['unavailable', 503, 'STORAGE_UNAVAILABLE', 'The storage is away'],
    ['failed', 500, 'TOOL_FAILED', 'Tool "getWeather" failed'],
    ['aborted', 503, 'ABORTED', 'The run was aborted'],
  ])('replies to %s with its status, code and message', async (kind, status, code, error) => {
    expect(await ask(`/fail/${kind}`)).toMatchObject({ status, code, body: { success: false, error } });
  });

  it.each(['internal', 'plain', 'text'])(
    'does not reveal the cause of a server error (%s), and contains the request id',
    async (kind) => {
      const { body, id, status } = await ask(`/fail/${kind}`);
      expect({ body, status }).toEqual({
        status: 500,
        body: { success: false, error: `Internal server error (request ${id})` },
      });
    },
  );

  it('sends Retry-After when the server is unavailable', async () => {
    expect((await ask('/fail/unavailable')).headers.get('retry-after')).toBe('5');
  });
});

describe('an invalid request', () => {
  it.each([
    ['/fail/ok?limit=0', 'query/limit must be >= 1'],
    ['/fail/ok?limit=many', 'query/limit must be integer'],
    [`/fail/${'x'.repeat(129)}`, 'params/with must NOT have more than 128 characters'],
  ])('%s is described in one sentence', async (path, error) => {
    expect(await ask(path)).toMatchObject({ status: 400, code: 'INVALID_INPUT', body: { error } });
  });

  it.each([
    [{ n: '1' }, 'body/n must be number'],
    [[], 'body must be object'],
    [{ n: null }, 'body/n must be number'],
  ])('the body %j is described in one sentence', async (body, error) => {
    expect(await ask('/echo', json(body))).toMatchObject({ status: 400, code: 'INVALID_INPUT', body: { error } });
  });

  it('is refused if a required body is missing', async () => {
    expect(await ask('/echo', { method: 'POST' })).toMatchObject({
      status: 400,
      body: { error: 'body must be object' },
    });
    expect(await ask('/echo', json(''))).toMatchObject({ status: 400, body: { error: 'body must be object' } });
  });

  it('reads numbers, booleans and defaults from the query and leaves bodies as they are', async () => {
    expect(await ask('/fail/ok?all=true')).toMatchObject({
      status: 200,
      body: { success: true, data: { limit: 50, all: true } },
    });
    expect(await ask('/echo', json({ other: 1 }))).toMatchObject({ body: { data: { other: 1 } } });
  });
});

describe('a body that is not JSON', () => {
  it.each([
    ['{"n":', 400, 'INVALID_JSON', 'body is not valid JSON'],
    ['{"__proto__":{"x":1}}', 400, 'INVALID_JSON', 'body is not valid JSON'],
    [String.raw`{"\u005f_proto__":{"x":1}}`, 400, 'INVALID_JSON', 'body is not valid JSON'],
    [String.raw`{"__pr\u006fto__":{"x":1}}`, 400, 'INVALID_JSON', 'body is not valid JSON'],
    ['{"constructor":{"prototype":{"x":1}}}', 400, 'INVALID_JSON', 'body is not valid JSON'],
    [String.raw`{"\u0063onstructor":{"prototype":{}}}`, 400, 'INVALID_JSON', 'body is not valid JSON'],
    [`${'['.repeat(65)}${']'.repeat(65)}`, 400, 'INVALID_INPUT', 'body is nested deeper than 64 levels'],
    [JSON.stringify({ text: 'x'.repeat(2_000) }), 413, 'BODY_TOO_LARGE', 'body is too large: at most 2000 bytes'],
  ])('%.20s', async (body, status, code, error) => {
    expect(await ask('/echo', json(body))).toMatchObject({ status, code, body: { success: false, error } });
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'nonsense', 'application/xml'])(
    'is refused as %s',
    async (type) => {
      const answer = await ask('/echo', { method: 'POST', headers: { 'content-type': type }, body: '{}' });
      expect(answer).toMatchObject({ status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' });
    },
  );

  it.each(['gzip', 'br', 'deflate', 'identity, gzip', 'GZIP', 'x-unknown'])(
    'is refused when it is coded: %s',
    async (coding) => {
      const headers = { 'content-type': 'application/json', 'content-encoding': coding };
      const body = gzipSync('{"n":1}');
      const response = await fetch(`${server.origin}/echo`, { method: 'POST', headers, body });
      expect([response.status, response.headers.get('x-error-code')]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
      // RFC 9110, 15.5.16: what would be accepted.
      expect(response.headers.get('accept-encoding')).toBe('identity');
      expect(await response.json()).toEqual({ success: false, error: 'body must be sent without content-encoding' });
    },
  );

  it.each(['utf-16', 'UTF-16LE', '"utf-16"', 'iso-8859-1', 'windows-1252'])(
    'is refused in another charset: %s',
    async (charset) => {
      const headers = { 'content-type': `application/json; charset=${charset}` };
      const answer = await ask('/echo', { method: 'POST', headers, body: Buffer.from('{"n":1}', 'utf16le') });
      const error = 'body must be sent in UTF-8';
      expect(answer).toMatchObject({ status: 415, code: 'UNSUPPORTED_MEDIA_TYPE', body: { success: false, error } });
    },
  );

  it('is refused for its coding without a stated length, and not read first', async () => {
    const answer = await exchange(
      server.port,
      'POST /echo HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-encoding: gzip\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1.1 415 /);
  });

  it.each([
    { 'content-type': 'application/json; charset=utf-8' },
    { 'content-type': 'application/json;charset="UTF-8"' },
    { 'content-type': 'application/json; charset=utf8; profile=x' },
    { 'content-type': 'application/json', 'content-encoding': 'identity' },
    { 'content-type': 'application/json', 'content-encoding': '' },
  ])('is accepted as UTF-8 without a coding: %o', async (headers) => {
    expect(await ask('/echo', { method: 'POST', headers, body: '{"n":1}' })).toMatchObject({ status: 200 });
  });

  it('is refused when it is larger than stated, chunk by chunk', async () => {
    const chunk = `800\r\n${'x'.repeat(0x800)}\r\n`;
    const client = open(server.port);
    client.write(
      `POST /echo HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n${chunk}`,
    );
    const [answer] = await once(client, 'data');
    client.destroy();
    expect(String(answer)).toMatch(/^HTTP\/1.1 413 /);
  });
});

describe('a path without a route', () => {
  it.each([
    ['GET', '/nope'],
    ['POST', '/nope'],
    ['DELETE', '/echo'],
    ['GET', '/echo'],
    ['PROPFIND', '/echo'],
    ['POST', '/healthz'],
    ['GET', '/agents/a/b/c'],
    ['GET', '//agents'],
  ])('%s %s is not found', async (method, path) => {
    const error = `No route for ${method} ${path}`;
    expect(await ask(path, { method })).toMatchObject({
      status: 404,
      code: 'ROUTE_NOT_FOUND',
      body: { success: false, error },
    });
  });

  it('is not found with a body of any type, and the reply does not repeat the query', async () => {
    const answer = await ask('/nope?key=secret', {
      method: 'POST',
      headers: { 'content-type': 'text/csv' },
      body: 'a',
    });
    expect(answer).toMatchObject({ status: 404, body: { error: 'No route for POST /nope' } });
  });

  it('is a bad request when it cannot be decoded', async () => {
    expect(await ask('/fail/%zz')).toMatchObject({ status: 400, code: 'INVALID_URL' });
  });

  it('is refused above 8 KiB, with or without a route', async () => {
    for (const path of [`/nope/${'x'.repeat(9_000)}`, `/fail/ok?x=${'x'.repeat(9_000)}`]) {
      expect(await ask(path)).toMatchObject({ status: 414, code: 'URL_TOO_LONG', body: { success: false } });
    }
  });
});

describe('bytes that are not a request', () => {
  it.each([
    ['nonsense', 'BLA\r\n\r\n', 400, 'INVALID_REQUEST'],
    [
      'two lengths',
      'POST /echo HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n{}',
      400,
      'INVALID_REQUEST',
    ],
    ['a giant request line', `GET /${'x'.repeat(40_000)} HTTP/1.1\r\nhost: localhost\r\n\r\n`, 414, 'URL_TOO_LONG'],
    [
      'giant headers',
      `GET / HTTP/1.1\r\nhost: localhost\r\nx-a: ${'x'.repeat(40_000)}\r\n\r\n`,
      431,
      'HEADERS_TOO_LARGE',
    ],
    ['no host', 'GET /healthz HTTP/1.1\r\nconnection: close\r\n\r\n', 400, 'INVALID_REQUEST'],
    ['a tunnel', 'CONNECT example.org:443 HTTP/1.1\r\nhost: example.org\r\n\r\n', 404, 'ROUTE_NOT_FOUND'],
    [
      'an odd expectation',
      'GET /nope HTTP/1.1\r\nhost: localhost\r\nexpect: miracles\r\nconnection: close\r\n\r\n',
      404,
      'ROUTE_NOT_FOUND',
    ],
  ])('%s: gets the envelope', async (_, bytes, status, code) => {
    expect(failureIn(await exchange(server.port, bytes))).toEqual({ status, code });
  });

  it('half a request that does not continue: gets the envelope', async () => {
    const impatient = await serve([echo], { limits: { requestTimeoutMs: 1, headersTimeoutMs: 1 } });
    const halves = [
      'GET / HTTP/1.1\r\nhost:',
      'POST /echo HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 10\r\n\r\n{',
    ];
    const answers = await Promise.all(halves.map((bytes) => exchange(impatient.port, bytes)));
    for (const answer of answers) expect(failureIn(answer)).toEqual({ status: 408, code: 'REQUEST_TIMEOUT' });
    await impatient.close();
  });
});

/** The status and the code of a reply with the envelope of a failure. */
function failureIn(answer: string): { readonly status: number; readonly code: string | undefined } {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  expect(head).toMatch(/^x-request-id: [A-Za-z0-9_.:-]+$/m);
  expect(JSON.parse(body)).toEqual({ success: false, error: expect.any(String) });
  const status = /^HTTP\/1\.1 (\d+) /.exec(head)?.[1];
  return { status: Number(status), code: /^x-error-code: (.+)$/m.exec(head)?.[1]?.trim() };
}

describe('the id of a request', () => {
  it('is unique, on success and failure', async () => {
    const ids = await Promise.all(
      ['/healthz', '/nope', '/fail/ok', '/fail/plain'].map(async (path) => (await ask(path)).id),
    );
    expect(new Set(ids).size).toBe(4);
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]+$/);
  });

  it('is the one that a proxy has set, if it is well-formed', async () => {
    expect((await ask('/healthz', { headers: { 'x-request-id': 'trace:1.2' } })).id).toBe('trace:1.2');
    expect((await ask('/healthz', { headers: { 'x-request-id': 'a b' } })).id).not.toBe('a b');
  });
});

it('answers HEAD as GET without its body', async () => {
  const headers = { 'accept-encoding': 'identity' };
  for (const path of ['/agents', '/healthz', '/doc', '/fail/ok']) {
    const [head, get] = await Promise.all([
      fetch(`${server.origin}${path}`, { method: 'HEAD', headers }),
      fetch(`${server.origin}${path}`, { headers }),
    ]);
    expect(head.status).toBe(200);
    expect(head.headers.get('content-length')).toBe(String((await get.arrayBuffer()).byteLength));
    expect(await head.text()).toBe('');
  }
});
