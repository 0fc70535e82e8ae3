import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createClient } from './create-client.ts';
import {
  ApiError,
  ClientError,
  ConflictError,
  ConnectionError,
  FailedError,
  ForbiddenError,
  InvalidRequestError,
  NotFoundError,
  RateLimitedError,
  UnauthenticatedError,
  UnavailableError,
  UnexpectedReplyError,
} from './errors.ts';
import { data, origin, refusal, scriptedFetch, type Sent, type Reply } from './testing/scripted-fetch.ts';

type Replies = readonly Reply[];

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

function connect(replies: Replies, options: Parameters<typeof createClient>[0] = {}) {
  const { fetch, sent } = scriptedFetch(...replies);
  return { client: createClient({ baseUrl: origin, fetch, ...options }), sent };
}

const approvals = () => data({ approvals: [] });

/** Sends a GET, and passes time until it is answered. */
async function get(replies: Replies, options: Parameters<typeof createClient>[0] = {}) {
  const { client, sent } = connect(replies, options);
  const [outcome] = await Promise.allSettled([client.approvals.list(), vi.runAllTimersAsync()]);
  return { outcome, sent };
}

async function post(replies: Replies, options: Parameters<typeof createClient>[0] = {}) {
  const { client, sent } = connect(replies, options);
  const [outcome] = await Promise.allSettled([client.tool('pay').execute({}), vi.runAllTimersAsync()]);
  return { outcome, sent };
}

async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.fail('it did not fail'),
    (error: unknown) => error,
  );
}

describe('the address', () => {
  it.each([
    ['https://api.test', '/api/approvals'],
    ['https://api.test/', '/api/approvals'],
    ['https://api.test/ai//', '/ai/api/approvals'],
    ['https://other.test', 'https://other.test/api/approvals'],
  ])('%s has no slash at its end', async (baseUrl, path) => {
    const { client, sent } = connect([approvals()], { baseUrl });
    await client.approvals.list();
    expect(sent[0]?.path).toBe(path);
    expect(client.baseUrl).toBe(baseUrl.replace(/\/+$/, ''));
  });
});

describe('a request', () => {
  it('has the credentials and headers, which functions can renew', async () => {
    let tokens = 0;
    const { client, sent } = connect([approvals(), approvals()], {
      token: () => Promise.resolve(`t${(tokens += 1)}`),
      consoleKey: 'key',
      headers: () => ({ 'x-app': 'shop' }),
    });
    await client.approvals.list();
    await client.approvals.list();

    const of = ({ headers }: Sent) => [headers['authorization'], headers['x-console-access-key'], headers['x-app']];
    expect(sent.map(of)).toEqual([
      ['Bearer t1', 'key', 'shop'],
      ['Bearer t2', 'key', 'shop'],
    ]);
  });

  it('has no credentials where there are none', async () => {
    const { client, sent } = connect([approvals()], { token: () => undefined });
    await client.approvals.list();
    expect(Object.keys(sent[0]?.headers ?? {})).not.toContain('authorization');
    expect(Object.keys(sent[0]?.headers ?? {})).not.toContain('x-console-access-key');
  });

  it.each(['a\nb', 'a\u0000b', 'ключ'])(
    'refuses a header that cannot be sent, without its value: %j',
    async (token) => {
      const { client, sent } = connect([], { token });
      const error = await failureOf(client.approvals.list());
      expect(error).toBeInstanceOf(ClientError);
      expect(String(error)).toContain('authorization');
      expect(String(error)).not.toContain(token);
      expect(sent).toEqual([]);
    },
  );

  it('accepts a value with blanks around it, a tab, and Latin letters', async () => {
    const { client, sent } = connect([approvals()], { headers: { 'x-name': ' é\tü \n' } });
    await client.approvals.list();
    expect(sent).toHaveLength(1);
  });

  it('follows no redirect, and has a body only where there is one', async () => {
    const { client, sent } = connect([approvals(), data({ result: 1 })]);
    await client.approvals.list();
    await client.tool('pay').execute({ euros: 5 });
    expect(sent.map(({ init }) => init.redirect)).toEqual(['manual', 'manual']);
    expect('body' in (sent[0]?.init ?? {})).toBe(false);
    expect(sent[1]?.body).toEqual({ input: { euros: 5 } });
  });

  it('throws the reason of its signal, before and while it is sent', async () => {
    const reason = new Error('left');
    const { client, sent } = connect([
      () => {
        leaving.abort(reason);
        throw new TypeError('aborted');
      },
    ]);
    const leaving = new AbortController();
    expect(await failureOf(client.approvals.list({ signal: AbortSignal.abort(reason) }))).toBe(reason);
    expect(sent).toEqual([]);
    expect(await failureOf(client.approvals.list({ signal: leaving.signal }))).toBe(reason);
  });

  it('is sent as it is by `fetch` of the client', async () => {
    const { client, sent } = connect([approvals()], { token: 't' });
    await client.fetch(`${origin}/approvals?x=1`, { method: 'GET', headers: { 'x-own': '1' } });
    expect(sent[0]).toMatchObject({ path: '/approvals?x=1', headers: { 'x-own': '1', authorization: 'Bearer t' } });
  });
});

describe('a refusal', () => {
  it.each([
    [400, InvalidRequestError],
    [401, UnauthenticatedError],
    [403, ForbiddenError],
    [404, NotFoundError],
    [409, ConflictError],
    [413, InvalidRequestError],
    [429, RateLimitedError],
    [499, InvalidRequestError],
    [500, FailedError],
    [502, FailedError],
    [503, UnavailableError],
  ])('with status %i has a class of its own', async (status, Class) => {
    const headers = { 'x-request-id': 'r1', 'x-execution-id': 'e1', 'retry-after': '60' };
    const { outcome } = await post([refusal(status, 'SOME_CODE', headers)]);
    const error: unknown = outcome.status === 'rejected' ? outcome.reason : undefined;
    expect(error).toBeInstanceOf(Class);
    expect(error).toMatchObject({
      name: Class.name,
      status,
      code: 'SOME_CODE',
      message: 'refused: SOME_CODE',
      requestId: 'r1',
      executionId: 'e1',
      retryAfterMs: 60_000,
    });
  });

  it('has only the headers that the server sent', async () => {
    const { outcome } = await post([refusal(404, 'TOOL_NOT_FOUND')]);
    expect(outcome).toMatchObject({
      reason: { requestId: undefined, executionId: undefined, retryAfterMs: undefined },
    });
  });

  it.each([
    ['without a code', Response.json({ error: 'no' }, { status: 500 })],
    ['without a message', Response.json({ error: 7 }, { status: 500, headers: { 'x-error-code': 'X' } })],
    ['with null', Response.json(null, { status: 500, headers: { 'x-error-code': 'X' } })],
    ['that is no JSON', new Response('<html>', { status: 500, headers: { 'x-error-code': 'X' } })],
  ])('%s is not one of Halyard', async (_, reply) => {
    const body = await reply.clone().text();
    const { outcome } = await post([reply]);
    expect(outcome).toMatchObject({ reason: { name: 'UnexpectedReplyError', status: 500, body } });
  });
});

describe('an answer', () => {
  it.each([
    ['a page', new Response('<html>log in</html>', { headers: { 'content-type': 'text/html' } })],
    ['broken JSON', new Response('{"data":', { headers: { 'content-type': 'application/json' } })],
    ['JSON of another type', new Response('{}', { headers: { 'content-type': 'text/plain' } })],
    ['a body without a type', new Response(new Blob(['{}']))],
  ])('that is %s is not one of Halyard', async (_, reply) => {
    const body = await reply.clone().text();
    const { outcome } = await get([reply]);
    const error: unknown = outcome.status === 'rejected' ? outcome.reason : undefined;
    expect(error).toBeInstanceOf(UnexpectedReplyError);
    expect(error).toMatchObject({ status: 200, body });
  });

  it('that is not one of Halyard is kept with its first 1000 characters', async () => {
    const page = () => new Response('x'.repeat(2000), { headers: { 'content-type': 'text/html' } });
    expect((await get([page()])).outcome).toMatchObject({ reason: { body: 'x'.repeat(1000) } });
    const failure = new Response('x'.repeat(2000), { status: 502 });
    expect((await post([failure])).outcome).toMatchObject({ reason: { body: 'x'.repeat(1000) } });
  });

  it('that is empty is not one of Halyard', async () => {
    const { outcome } = await get([new Response(null, { status: 204 })]);
    expect(outcome).toMatchObject({ reason: { name: 'UnexpectedReplyError' } });
  });

  it('that breaks off is a lost connection', async () => {
    const body = () =>
      new ReadableStream({
        start(controller) {
          controller.error(new TypeError('terminated'));
        },
      });
    const broken = () => new Response(body(), { headers: { 'content-type': 'application/json' } });
    const { outcome, sent } = await post([broken()]);
    expect(outcome).toMatchObject({ reason: { name: 'ConnectionError', cause: { message: 'terminated' } } });
    expect(sent).toHaveLength(1);
    expect((await get([broken(), approvals()])).outcome).toMatchObject({ status: 'fulfilled' });
  });
});

describe('a request is sent again', () => {
  const lost = new TypeError('fetch failed');
  const wait = { 'retry-after': '2' };

  it('when the server cannot be reached and it changes nothing, twice unless set otherwise', async () => {
    const { outcome, sent } = await get([lost, lost, lost, approvals()]);
    expect(outcome).toMatchObject({ reason: { name: 'ConnectionError', cause: lost } });
    expect(sent).toHaveLength(3);
    expect((await get([lost, lost, lost, approvals()], { retries: 3 })).outcome).toMatchObject({ status: 'fulfilled' });
    expect((await get([lost, approvals()], { retries: 0 })).outcome).toMatchObject({ status: 'rejected' });
  });

  it('after waits that double', async () => {
    const { client } = connect([lost, lost, approvals()]);
    const times: number[] = [];
    const started = Date.now();
    vi.mocked(Math.random).mockImplementation(() => {
      times.push(Date.now() - started);
      return 1;
    });
    const list = client.approvals.list();
    await vi.runAllTimersAsync();
    await list;
    expect([...times, Date.now() - started]).toEqual([0, 250, 750]);
  });

  it('but not when it may have begun something', async () => {
    const { outcome, sent } = await post([lost, data({ result: 1 })]);
    expect(outcome).toMatchObject({ reason: { name: 'ConnectionError' } });
    expect(sent).toHaveLength(1);
  });

  it.each([
    [429, 'RATE_LIMITED'],
    [503, 'OVERLOADED'],
  ])('when the server refused it with %i %s, after the time that it says', async (status, code) => {
    const started = Date.now();
    const { outcome, sent } = await post([refusal(status, code, wait), data({ result: 1 })]);
    expect(outcome).toMatchObject({ status: 'fulfilled', value: 1 });
    expect(Date.now() - started).toBe(2_000);
    expect(sent).toHaveLength(2);
  });

  it('when the server is shutting down and it changes nothing', async () => {
    expect((await get([refusal(503, 'SHUTTING_DOWN', wait), approvals()])).outcome.status).toBe('fulfilled');
    expect((await post([refusal(503, 'SHUTTING_DOWN', wait)])).outcome.status).toBe('rejected');
  });

  it.each([
    ['names no time', {}],
    ['names no number', { 'retry-after': 'soon' }],
    ['names 0', { 'retry-after': '0' }],
    ['names more than 30 s', { 'retry-after': '31' }],
  ])('but not when the server %s', async (_, headers) => {
    const { outcome, sent } = await get([refusal(429, 'RATE_LIMITED', headers), approvals()]);
    expect(outcome).toMatchObject({ reason: { name: 'RateLimitedError' } });
    expect(sent).toHaveLength(1);
  });

  it('after 30 s, the longest time', async () => {
    const { outcome } = await get([refusal(429, 'RATE_LIMITED', { 'retry-after': '30' }), approvals()]);
    expect(outcome.status).toBe('fulfilled');
  });

  it.each([400, 404, 500])('but not after status %i', async (status) => {
    const { outcome, sent } = await get([refusal(status, 'X', wait), approvals()]);
    expect(outcome).toMatchObject({ reason: expect.any(ApiError) });
    expect(sent).toHaveLength(1);
  });

  it('but not when its caller leaves while it waits', async () => {
    const { client, sent } = connect([refusal(429, 'RATE_LIMITED', wait), approvals()]);
    const leaving = new AbortController();
    const failure = failureOf(client.approvals.list({ signal: leaving.signal }));
    await vi.advanceTimersByTimeAsync(1_000);
    leaving.abort(new Error('left'));
    expect(await failure).toMatchObject({ message: 'left' });
    expect(sent).toHaveLength(1);
  });
});

it('says which server cannot be reached', async () => {
  const lost = new TypeError('fetch failed');
  expect((await post([lost])).outcome).toMatchObject({ reason: { message: expect.stringContaining(origin) } });
  const error = new ConnectionError('x', { cause: lost });
  expect(error).toMatchObject({ name: 'ConnectionError', cause: lost });
});
