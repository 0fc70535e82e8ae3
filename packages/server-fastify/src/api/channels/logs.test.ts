import { once } from 'node:events';
import { createInMemoryTelemetryStore } from '@halyard/memory-in-memory';
import { afterEach, describe, expect, it } from 'vitest';
import { malformedFrame, seeded } from '../../testing/malformed-frames.ts';
import { open, serve, type Served } from '../../testing/serve.ts';
import { type Client, connectTo, handshake, noticeClose } from '../../testing/sockets.ts';

let server: Served;
afterEach(() => server.close());

type Options = NonNullable<Parameters<typeof serve>[1]>;

const start = async (options: Options = {}): Promise<void> => {
  server = await serve([], { logger: { level: 'error', stream: { write: () => {} } }, ...options });
};
const follow = (query = ''): Client => connectTo(`${server.origin}/ws/logs?${query}`);

interface LogUpdate {
  readonly type: string;
  readonly logs: readonly { readonly msg: string }[];
}
const next = async ({ next: read }: Client): Promise<[string, string[]]> => {
  const { logs, type } = (await read()) as LogUpdate;
  return [type, logs.map(({ msg }) => msg)];
};

/** Reads updates until they contain this many texts. */
const updates = async (client: Client, count: number): Promise<string[]> => {
  const texts: string[] = [];
  while (texts.length < count) {
    const [type, more] = await next(client);
    expect(type).toBe('update');
    texts.push(...more);
  }
  return texts;
};

describe('/ws/logs', () => {
  it('sends earlier lines, the oldest first, then new ones', async () => {
    await start();
    server.app.log.error({ agentId: 'a' }, 'one');
    server.app.log.error('two');
    const client = follow();
    const iso = expect.stringMatching(/^\d{4}-.*Z$/);
    expect(await client.next()).toEqual({
      type: 'initial',
      logs: [
        { timestamp: iso, level: 'error', msg: 'one', agentId: 'a' },
        { timestamp: iso, level: 'error', msg: 'two' },
      ],
      timestamp: iso,
    });
    server.app.log.error('three');
    server.app.log.error('four');
    expect(await client.next()).toMatchObject({
      type: 'update',
      logs: [{ msg: 'three' }, { msg: 'four' }],
      timestamp: iso,
    });
  });

  it('sends only lines that contain a text, earlier and new ones', async () => {
    await start();
    for (const text of ['order 1', 'nothing']) server.app.log.error(text);
    const client = follow('text=ORDER');
    expect(await next(client)).toEqual(['initial', ['order 1']]);
    for (const text of ['nothing', 'order 2']) server.app.log.error(text);
    expect(await next(client)).toEqual(['update', ['order 2']]);
  });

  it('leaves out the lines of a client, earlier and new ones', async () => {
    await start();
    const write = (text: string): void => {
      server.app.log.error({ client: 'console' }, 'read');
      server.app.log.error({ client: 'another' }, text);
    };
    write('one');
    const client = follow('withoutClient=console');
    expect(await next(client)).toEqual(['initial', ['one']]);
    write('two');
    expect(await next(client)).toEqual(['update', ['two']]);
  });

  it('sends a line once, even if it is written during the start', async () => {
    await start();
    const client = follow();
    await once(client.socket, 'open');
    const all = Array.from({ length: 300 }, (_, at) => `line ${at}`);
    for (const text of all) {
      server.app.log.error(text);
      if (text.endsWith('0')) await new Promise(setImmediate);
    }
    const [type, received] = await next(client);
    expect(type).toBe('initial');
    while (received.length < all.length) received.push(...(await next(client))[1]);
    expect(received.toSorted()).toEqual(all.toSorted());
  });

  it.each([
    ['level=fatal', { level: 'fatal' }],
    ['agentId=a', { agentId: 'a' }],
    ['workflowId=a', { workflowId: 'a' }],
    ['executionId=a', { executionId: 'a' }],
    ['since=2020-01-01&agentId=a', { agentId: 'a' }],
  ])('filters by %s', async (query, fields) => {
    await start();
    const log = (): void => {
      server.app.log.error({ agentId: 'b' }, 'unwanted');
      if ('level' in fields) server.app.log.fatal('wanted');
      else server.app.log.error(fields, 'wanted');
    };
    log();
    const client = follow(query);
    expect(await next(client)).toEqual(['initial', ['wanted']]);
    log();
    expect(await next(client)).toEqual(['update', ['wanted']]);
  });

  it('sends at most the requested number of earlier lines, the newest', async () => {
    await start();
    for (const text of ['1', '2', '3']) server.app.log.error(text);
    expect(await next(follow('limit=2'))).toEqual(['initial', ['2', '3']]);
  });

  it('starts again with a new filter', async () => {
    await start();
    server.app.log.error({ agentId: 'a' }, 'a');
    server.app.log.error({ agentId: 'b' }, 'b');
    const client = follow('agentId=a');
    expect(await next(client)).toEqual(['initial', ['a']]);
    client.socket.send('{"type":"updateFilter","filter":{"agentId":"b"}}');
    expect(await next(client)).toEqual(['initial', ['b']]);
    server.app.log.error({ agentId: 'a' }, 'a again');
    server.app.log.error({ agentId: 'b' }, 'b again');
    expect(await next(client)).toEqual(['update', ['b again']]);
  });

  it('reads earlier lines once at a time, however often the filter changes', async () => {
    const store = createInMemoryTelemetryStore();
    const listLogs = store.listLogs.bind(store);
    let [reading, mostReading, reads] = [0, 0, 0];
    store.listLogs = async (...given) => {
      reads += 1;
      reading += 1;
      mostReading = Math.max(mostReading, reading);
      await new Promise(setImmediate);
      reading -= 1;
      return listLogs(...given);
    };
    await start({ telemetry: { store } });
    server.app.log.error({ agentId: 'a' }, 'a');
    const client = follow('agentId=b');
    await client.next();
    for (let at = 0; at < 1_000; at += 1) client.socket.send('{"type":"updateFilter","filter":{"agentId":"b"}}');
    client.socket.send('{"type":"updateFilter","filter":{"agentId":"a"}}');
    let last: string[] = [];
    while (last.length === 0) [, last] = await next(client);
    expect([last, mostReading]).toEqual([['a'], 1]);
    expect(reads).toBeLessThan(500);
  });

  it.each([
    ['no JSON', 'hello', 'message is not valid JSON'],
    ['no object', '1', 'message must be object'],
    ['of no known type', '{"type":"x","filter":{}}', expect.stringContaining('message/type')],
    ['without a filter', '{"type":"updateFilter"}', expect.stringContaining('filter')],
    [
      'of a level that there is not',
      '{"type":"updateFilter","filter":{"level":"loud"}}',
      expect.stringContaining('level'),
    ],
    [
      'of a time that is none',
      '{"type":"updateFilter","filter":{"since":"soon"}}',
      'message/filter/since must be an ISO 8601 timestamp',
    ],
  ])('answers a message that is %s with an error, and continues', async (_, text, error) => {
    await start();
    const client = follow();
    await client.next();
    client.socket.send(text);
    expect(await client.next()).toEqual({ type: 'ERROR', success: false, error });
    server.app.log.error('x');
    expect(await next(client)).toEqual(['update', ['x']]);
  });

  it('reports invalid times in its query, and closes', async () => {
    await start();
    const client = follow('until=2026-02-31');
    const error = 'query/until must be an ISO 8601 timestamp';
    expect(await client.next()).toEqual({ type: 'ERROR', success: false, error });
    expect(await client.closed).toEqual({ code: 1008, reason: 'the query cannot be read' });
  });

  it('closes when earlier lines cannot be read, and logs the reason', async () => {
    const store = createInMemoryTelemetryStore();
    store.listLogs = async () => Promise.reject(new TypeError('The database is gone'));
    let logged = '';
    const stream = { write: (line: string) => void (logged += line) };
    await start({ telemetry: { store }, logger: { level: 'error', stream } });
    expect(await follow().closed).toEqual({ code: 1011, reason: 'internal error' });
    expect(JSON.parse(logged)).toMatchObject({
      msg: 'the log could not be read',
      channel: '/ws/logs',
      err: { message: 'The database is gone' },
    });
  });

  it('sends users only their own lines', async () => {
    await start({ userOf: () => ({ id: 'ada' }) });
    const log = (): void => {
      server.app.log.error({ userId: 'eve' }, 'not hers');
      server.app.log.error('a line of no user');
      server.app.log.error({ userId: 'ada' }, 'hers');
    };
    log();
    const client = follow();
    expect(await next(client)).toEqual(['initial', ['hers']]);
    log();
    expect(await next(client)).toEqual(['update', ['hers']]);
  });

  it('sends nothing when nothing is recorded', async () => {
    await start({ telemetry: false });
    expect(await next(follow())).toEqual(['initial', []]);
  });

  it('closes for a client that does not read, and sends everything to others', async () => {
    await start({ limits: { webSocketBufferBytes: 64 * 1024 } });
    const hasClosed = noticeClose();
    const [stopped, reading] = [follow(), follow()];
    await Promise.all([stopped.next(), reading.next()]);
    stopped.socket.pause();
    const text = 'x'.repeat(100_000);
    let sent = 0;
    const write = async (): Promise<void> => {
      const expected = Array.from({ length: 10 }, (_, at) => sent + at);
      sent += 10;
      for (const at of expected) server.app.log.error(`${at} ${text}`);
      const received = await updates(reading, 10);
      expect(received.map((line) => Number.parseInt(line, 10))).toEqual(expected);
    };
    while (!hasClosed()) await write();
    stopped.socket.resume();
    expect(await stopped.closed).toMatchObject({ code: 1013 });
    await write();
  });

  it('survives malformed frames', async () => {
    await start();
    const bystander = follow();
    await bystander.next();
    const random = seeded(11);
    const attack = async (): Promise<void> => {
      const socket = open(server.port);
      socket.write(['GET /ws/logs HTTP/1.1', 'host: localhost', ...handshake, '', ''].join('\r\n'));
      await once(socket, 'data');
      socket.resume();
      const closed = once(socket, 'close');
      socket.end(Buffer.concat(Array.from({ length: 50 }, () => malformedFrame(random))));
      await closed;
    };
    await Promise.all(Array.from({ length: 20 }, attack));
    server.app.log.error('alive');
    expect(await next(bystander)).toEqual(['update', ['alive']]);
  });
});
