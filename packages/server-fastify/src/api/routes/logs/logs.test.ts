import { createMemory } from '@halyard/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serve, type Served } from '../../../testing/serve.ts';

let server: Served;
const silent = { write: () => {} };

beforeEach(async () => {
  server = await serve([], { logger: { level: 'trace', stream: silent } });
});
afterEach(() => server.close());

interface Answer {
  readonly data: readonly Record<string, unknown>[];
  readonly total: number;
  readonly query: unknown;
}

const ask = async (query = ''): Promise<Answer> =>
  (await (await fetch(`${server.origin}/api/logs?${query}`)).json()) as Answer;
const texts = async (query: string): Promise<unknown[]> => (await ask(query)).data.map(({ msg }) => msg);

describe('GET /api/logs', () => {
  it('returns lines, newest first, with their number and the query', async () => {
    for (const at of [1, 2, 3]) server.app.log.error({ agentId: 'a', at }, `line ${at}`);
    const { data, query, total } = await ask('level=error&limit=2');
    expect(data).toEqual([
      { timestamp: expect.stringMatching(/^\d{4}-.*Z$/), level: 'error', msg: 'line 3', agentId: 'a', at: 3 },
      { timestamp: expect.any(String), level: 'error', msg: 'line 2', agentId: 'a', at: 2 },
    ]);
    expect({ query, total }).toEqual({ query: { level: 'error', limit: 2 }, total: 3 });
  });

  it('treats a level as the minimum', async () => {
    const { log } = server.app;
    log.trace('t');
    log.debug('d');
    log.warn('w');
    log.error('e');
    log.fatal('f');
    expect(await texts('level=warn')).toEqual(['f', 'e', 'w']);
    expect(await texts('level=trace')).toEqual(expect.arrayContaining(['t', 'd']));
  });

  it.each(['agentId', 'workflowId', 'executionId', 'conversationId'])('filters by %s', async (name) => {
    server.app.log.error({ [name]: 'one' }, 'one');
    server.app.log.error({ [name]: 'two' }, 'two');
    expect(await texts(`level=error&${name}=two`)).toEqual(['two']);
  });

  it('finds lines by a text in the message or the fields', async () => {
    server.app.log.error({ order: 'A-7' }, 'refused');
    server.app.log.error('the order is late');
    expect(await texts('level=error&text=ORDER')).toEqual(['the order is late', 'refused']);
    expect(await texts('level=error&text=a-7')).toEqual(['refused']);
    expect(await texts('level=error&text=nowhere')).toEqual([]);
  });

  it('leaves out the reads of a client, and none of its changes and refusals', async () => {
    const preview = '/workflows/executions/bulk/preview';
    const sent = [
      ['GET', '/agents', 'console'],
      ['POST', preview, 'console'],
      ['GET', '/tools', 'another'],
      ['GET', '/workflows', 'not a name'],
      ['GET', '/agents/nobody', 'console'],
      ['POST', '/agents/nobody/text', 'console'],
    ] as const;
    for (const [method, path, name] of sent)
      await fetch(`${server.origin}${path}`, {
        method,
        headers: { 'x-client-name': name, ...(path === preview && { 'content-type': 'application/json' }) },
        ...(path === preview && { body: '{"all":true}' }),
      });
    const answered = async (query: string): Promise<unknown[]> => {
      const { data } = await ask(`${query}&text=${encodeURIComponent('request answered')}`);
      return data.filter(({ url }) => !String(url).startsWith('/api/logs')).map(({ client, url }) => [url, client]);
    };
    await expect.poll(() => answered('level=debug')).toHaveLength(6);
    const others = [
      ['/agents/nobody/text', undefined],
      ['/agents/nobody', undefined],
      ['/workflows', undefined],
      ['/tools', 'another'],
    ];
    expect(await answered('level=debug')).toEqual([...others, [preview, 'console'], ['/agents', 'console']]);
    // With the usual level, polling clients write nothing.
    expect(await answered('level=info')).toEqual(others.slice(0, 3));
    expect(await answered('withoutClient=console')).toEqual(others);
  });

  it('does not let users keep their requests out of a list', async () => {
    await server.close();
    const provider = { type: 'names', verifyToken: (token: string) => ({ id: token }) };
    const auth = { provider, consoleKey: 'the key' };
    server = await serve([], { auth, memory: createMemory(), logger: { level: 'trace', stream: silent } });
    const operator = { 'x-console-access-key': 'the key' };
    const read = async (path: string, credential: Record<string, string>): Promise<number> =>
      (await fetch(`${server.origin}${path}`, { headers: { ...credential, 'x-client-name': 'console' } })).status;
    expect(await read('/agents', operator)).toBe(200);
    expect(await read('/api/memory/conversations', { authorization: 'Bearer ada' })).toBe(200);
    const answered = async (query: string): Promise<unknown[]> => {
      const path = `/api/logs?text=${encodeURIComponent('request answered')}&${query}`;
      const { data } = (await (await fetch(`${server.origin}${path}`, { headers: operator })).json()) as Answer;
      return data.filter(({ url }) => !String(url).startsWith('/api/logs')).map(({ url }) => url);
    };
    await expect.poll(() => answered('level=debug')).toHaveLength(2);
    expect(await answered('withoutClient=console')).toEqual(['/api/memory/conversations']);
  });

  it('keeps the line of an attempt without a valid token when the data of the user whom it names are deleted', async () => {
    await server.close();
    const provider = { type: 'names', verifyToken: (token: string) => (token === 'eve' ? { id: token } : null) };
    const auth = { provider, consoleKey: 'the key' };
    server = await serve([], { auth, memory: createMemory(), logger: { level: 'info', stream: silent } });
    const attempts = async (): Promise<unknown[]> => {
      const headers = { 'x-console-access-key': 'the key' };
      const { data } = (await (await fetch(`${server.origin}/api/logs`, { headers })).json()) as Answer;
      return data.filter(({ status }) => status === 401).map(({ namedUserId, userId }) => [namedUserId, userId]);
    };
    const guessed = { authorization: 'Bearer guessed' };
    await fetch(`${server.origin}/agents/a/text?userId=eve`, { method: 'POST', headers: guessed });
    await expect.poll(attempts).toEqual([['eve', undefined]]);

    const headers = { authorization: 'Bearer eve' };
    const reply = await fetch(`${server.origin}/api/memory/users/eve`, { method: 'DELETE', headers });

    expect(reply.status).toBe(200);
    expect(await attempts()).toEqual([['eve', undefined]]);
  });

  it('filters by time', async () => {
    server.app.log.error('now');
    expect(await texts('level=error&since=2020-01-01')).toEqual(['now']);
    expect(await texts('level=error&since=2999-01-01')).toEqual([]);
    expect(await texts('level=error&until=2020-01-01')).toEqual([]);
  });

  it.each(['level=loud', 'limit=0', 'limit=1001', 'since=soon', 'until=2026-02-31', 'agentId=%20'])(
    'refuses %s',
    async (query) => {
      const reply = await fetch(`${server.origin}/api/logs?${query}`);
      expect([reply.status, reply.headers.get('x-error-code')]).toEqual([400, 'INVALID_INPUT']);
    },
  );

  it('returns only a user’s own lines', async () => {
    await server.close();
    server = await serve([], { logger: { level: 'error', stream: silent }, userOf: () => ({ id: 'ada' }) });
    server.app.log.error({ userId: 'ada' }, 'hers');
    server.app.log.error({ userId: 'eve' }, 'not hers');
    server.app.log.error('a line of no user');
    expect(await ask()).toMatchObject({ data: [{ msg: 'hers' }], total: 1 });
  });

  it('is empty if nothing is recorded', async () => {
    await server.close();
    server = await serve([], { logger: { level: 'error', stream: silent }, telemetry: false });
    server.app.log.error('lost');
    expect(await ask()).toMatchObject({ data: [], total: 0 });
  });
});
