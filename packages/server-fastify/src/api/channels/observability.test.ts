import type { LogRecord } from '@halyard/contracts';
import { Telemetry } from '@halyard/core/server';
import { fixedClock, silentLogger } from '@halyard/core/testing';
import { createInMemoryTelemetryStore } from '@halyard/memory-in-memory';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { agents } from '../../testing/generation.ts';
import { json, serve, type Served } from '../../testing/serve.ts';
import { type Client, connectTo, noticeClose } from '../../testing/sockets.ts';
import { LiveTelemetry } from './live-telemetry.ts';

let server: Served;
afterEach(() => {
  vi.useRealTimers();
  return server?.close();
});

const post = async (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<void> => {
  const init = json(body);
  const response = await fetch(`${server.origin}${path}`, { ...init, headers: { ...init.headers, ...headers } });
  expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
};

async function opened(query = '', headers: Readonly<Record<string, string>> = {}): Promise<Client> {
  const client = connectTo(`${server.origin}/ws/observability${query}`, { headers });
  expect(await client.next()).toMatchObject({ type: 'CONNECTION_SUCCESS', success: true });
  return client;
}

interface Update {
  readonly type: string;
  readonly data: { readonly type: string; readonly span: { readonly name: string } };
}

/** The names of the ended spans, up to the run of this agent. */
async function endedUntil(client: Client, agent: string): Promise<string[]> {
  const names: string[] = [];
  while (names.at(-1) !== `invoke_agent ${agent}`) {
    const { data, type } = (await client.next()) as Update;
    if (type === 'OBSERVABILITY_EVENT' && data.type !== 'span:start') names.push(data.span.name);
  }
  return names;
}

describe('/ws/observability', () => {
  it('answers a ping, and rejects other messages', async () => {
    server = await serve();
    const { next, socket } = await opened();
    socket.send('{"type":"PING"}');
    expect(await next()).toEqual({ type: 'PONG', success: true });
    for (const text of ['nonsense', '{}', 'null', '1', '"PING"', '{"type":"PONG"}', '{"kind":"PING"}']) {
      socket.send(text);
      expect(await next()).toEqual({ type: 'ERROR', success: false, error: 'message must be {"type":"PING"}' });
    }
  });

  it.each([
    ['', {}],
    ['?entityType=agent', { entityType: 'agent' }],
    ['?entityId=weather', { entityId: 'weather' }],
  ])('confirms the connection with its filter: %s', async (query, filter) => {
    server = await serve();
    const data = { message: 'Connected', timestamp: expect.stringMatching(/^\d{4}-.*Z$/), filter };
    const client = connectTo(`${server.origin}/ws/observability${query}`);
    expect(await client.next()).toEqual({ type: 'CONNECTION_SUCCESS', success: true, data });
  });

  it('sends only the traces of a kind of entity', async () => {
    server = await serve([], { agents });
    const [ofWorkflows, ofAgents] = [await opened('?entityType=workflow'), await opened('?entityType=agent')];
    await post('/agents/plain/text', { input: 'hi' });
    expect(await endedUntil(ofAgents, 'plain')).toHaveLength(2);
    ofWorkflows.socket.send('{"type":"PING"}');
    expect(await ofWorkflows.next()).toEqual({ type: 'PONG', success: true });
  });

  it.each(['', '?changes=true'])('says that nothing is recorded: %s', async (query) => {
    server = await serve([], { agents, telemetry: false });
    const client = connectTo(`${server.origin}/ws/observability${query}`);
    const message = 'Nothing is recorded: the option `telemetry` is false';
    expect(await client.next()).toMatchObject({ data: { message } });
    await post('/agents/plain/text', { input: 'hi' });
    client.socket.send('{"type":"PING"}');
    expect(await client.next()).toEqual({ type: 'PONG', success: true });
  });

  it('tells with `changes=true` only that spans were recorded, at most once a second', async () => {
    server = await serve([], { agents });
    const changes = await opened('?changes=true');
    const ofNobody = await opened('?changes=true&entityId=unknown');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    for (let run = 0; run < 20; run += 1) await post('/agents/plain/text', { input: 'hi' });
    const expected = { type: 'OBSERVABILITY_CHANGE', success: true, data: { timestamp: expect.any(String) } };
    const pong = { type: 'PONG', success: true };
    expect(await changes.next()).toEqual(expected);
    vi.advanceTimersByTime(999);
    changes.socket.send('{"type":"PING"}');
    expect(await changes.next()).toEqual(pong);
    vi.advanceTimersByTime(1);
    expect(await changes.next()).toEqual(expected);
    ofNobody.socket.send('{"type":"PING"}');
    expect(await ofNobody.next()).toEqual(pong);
  });

  it('sends the traces of one agent, with all their spans', async () => {
    server = await serve([], { agents });
    const ofWeather = await opened('?entityType=agent&entityId=weather');
    const ofPlain = await opened('?entityId=plain');
    await post('/agents/plain/text', { input: 'hi' });
    await post('/agents/weather/text', { input: 'hi' });
    await post('/agents/plain/text', { input: 'hi' });
    const names = await endedUntil(ofWeather, 'weather');
    expect(names).toHaveLength(4);
    expect(names).toContain('execute_tool getWeather');
    for (const _ of [1, 2]) expect(await endedUntil(ofPlain, 'plain')).toHaveLength(2);
  });

  it('sends verified users only their own spans', async () => {
    server = await serve([], {
      agents,
      userOf: ({ headers }) => (typeof headers['x-as'] === 'string' ? { id: headers['x-as'] } : undefined),
    });
    const [ada, bob, anyone] = [
      await opened('', { 'x-as': 'ada' }),
      await opened('', { 'x-as': 'bob' }),
      await opened(),
    ];
    await post('/agents/weather/text', { input: 'hi' }, { 'x-as': 'ada' });
    await post('/agents/plain/text', { input: 'hi' }, { 'x-as': 'bob' });
    expect(await endedUntil(ada, 'weather')).toHaveLength(4);
    expect(await endedUntil(bob, 'plain')).toHaveLength(2);
    expect(await endedUntil(anyone, 'plain')).toHaveLength(6);
  });

  it('sends the start of a span while its run goes on', async () => {
    server = await serve([], { agents });
    const client = await opened();
    const run = new AbortController();
    const answer = fetch(`${server.origin}/agents/hanging/text`, { ...json({ input: 'hi' }), signal: run.signal });
    expect(await client.next()).toMatchObject({
      data: { type: 'span:start', span: { name: 'invoke_agent hanging', endTime: null } },
    });
    run.abort();
    await expect(answer).rejects.toThrow('aborted');
  });

  it('sends the subject of a span with its start, and its outcome with its end', async () => {
    server = await serve([], { agents });
    const client = await opened();
    await post('/agents/plain/text', { input: 'hi' });
    const attributes: Record<string, Readonly<Record<string, unknown>>> = {};
    while (Object.keys(attributes).length < 4) {
      const { data, type } = (await client.next()) as {
        readonly type: string;
        readonly data: { readonly type: string; readonly span: { readonly name: string; readonly attributes: object } };
      };
      if (type === 'OBSERVABILITY_EVENT') attributes[`${data.type} ${data.span.name}`] = { ...data.span.attributes };
    }
    const outcome = ['gen_ai.output.messages', 'gen_ai.response.finish_reasons', 'gen_ai.usage.input_tokens'];
    const sent = (name: string): string[] => outcome.filter((key) => attributes[name]?.[key] !== undefined);
    expect(sent('span:start invoke_agent plain')).toEqual([]);
    expect(attributes['span:start invoke_agent plain']).toMatchObject({
      'entity.id': 'plain',
      'gen_ai.agent.id': 'plain',
      'gen_ai.operation.name': 'invoke_agent',
      'halyard.operation': 'text',
    });
    expect(sent('span:end invoke_agent plain')).toEqual(outcome);
  });

  it('closes a client that stops reading with 1013, while others get everything', async () => {
    server = await serve([], { agents, limits: { webSocketBufferBytes: 64 * 1024 } });
    const hasClosed = noticeClose();
    const [stopped, reader] = [await opened(), await opened()];
    stopped.socket.pause();
    let ended = 0;
    reader.socket.on('message', (data: Buffer) => {
      if (data.includes('"type":"span:end"')) ended += 1;
    });
    const input = 'x'.repeat(30_000);
    let runs = 0;
    const run = async (): Promise<void> => {
      runs += 1;
      await post('/agents/plain/text', { input });
    };
    while (!hasClosed()) await run();
    stopped.socket.resume();
    expect(await stopped.closed).toMatchObject({ code: 1013 });
    await run();
    await expect.poll(() => ended).toBe(runs * 2);
  });
});

it('does not subscribe without clients, and reads spans that started earlier', async () => {
  const store = createInMemoryTelemetryStore();
  const telemetry = new Telemetry({ store, clock: fixedClock(), logger: silentLogger });
  const live = new LiveTelemetry(telemetry, { clock: fixedClock(), logger: silentLogger });
  const log: LogRecord = {
    timestamp: 1,
    traceId: null,
    spanId: null,
    severityNumber: 9,
    severityText: 'INFO',
    body: 'before',
    attributes: { userId: 'ada' },
  };
  telemetry.logged(log);
  const { promise, resolve } = Promise.withResolvers<readonly string[]>();
  const stop = live.watch({ owner: { user: 'ada' }, filter: {}, send: (texts) => texts.length > 0 && resolve(texts) });
  telemetry.logged({ ...log, body: 'of bob', attributes: { userId: 'bob' } });
  telemetry.logged({ ...log, body: 'now' });
  const texts = (await promise).map((text) => JSON.parse(text) as unknown);
  expect(texts).toMatchObject([{ type: 'OBSERVABILITY_LOG', success: true, data: { body: 'now' } }]);
  stop();
});
