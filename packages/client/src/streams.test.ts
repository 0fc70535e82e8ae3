import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createClient } from './create-client.ts';
import { ApiError, ConnectionError, UnexpectedReplyError } from './errors.ts';
import { isTemporary } from './follow-execution.ts';
import { backoffMs, pause } from './pause.ts';
import { data, eventStream, origin, refusal, scriptedFetch, type Reply } from './testing/scripted-fetch.ts';

type Replies = readonly Reply[];

const lost = new TypeError('fetch failed');
const finish = { type: 'finish', finishReason: 'stop' };
const delta = (text: string) => ({ type: 'text-delta', id: 't', delta: text });

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
  return { client: createClient({ baseUrl: origin, fetch, retries: 0, ...options }), sent };
}

/** Reads to the end while time passes. */
async function readAll<Item>(items: AsyncIterable<Item>): Promise<{ readonly items: Item[]; readonly error: unknown }> {
  const all: Item[] = [];
  let error: unknown;
  const reading = (async (): Promise<void> => {
    for await (const item of items) all.push(item);
  })().catch((thrown: unknown) => {
    error = thrown;
  });
  await vi.runAllTimersAsync();
  await reading;
  return { items: all, error };
}

describe('a chat', () => {
  it('is read to its last chunk, whatever follows', async () => {
    for (const type of ['finish', 'abort', 'error']) {
      const { client, sent } = connect([eventStream([delta('a'), { type }, delta('b')])]);
      const { items } = await readAll(client.agent('poet').chat('Hi', { conversationId: 'c1', temperature: 1 }));
      expect(items).toEqual([delta('a'), { type }]);
      expect(sent.map(({ body, method, path }) => ({ request: `${method} ${path}`, body }))).toEqual([
        { request: 'POST /agents/poet/chat', body: { input: 'Hi', options: { conversationId: 'c1', temperature: 1 } } },
      ]);
    }
  });

  it.each([true, false])('is followed when it breaks off: %s', async (isBroken) => {
    const { client, sent } = connect([
      eventStream([delta('a')], { isBroken }),
      eventStream([{ type: 'start', messageId: 'm' }, delta('ab'), finish]),
    ]);
    const { error, items } = await readAll(client.agent('poet').chat('Hi', { conversationId: 'c1' }));
    expect(error).toBeUndefined();
    expect(items).toEqual([delta('a'), { type: 'start', messageId: 'm' }, delta('ab'), finish]);
    expect(sent[1]).toMatchObject({ method: 'GET', path: '/agents/poet/chat/c1/stream' });
  });

  it('fails when it breaks off and cannot be followed', async () => {
    const ended = () => new Response(null, { status: 204 });
    const { client } = connect([eventStream([delta('a')], { isBroken: true }), ended()]);
    expect((await readAll(client.agent('poet').chat('Hi', { conversationId: 'c1' }))).error).toMatchObject({
      message: 'The connection broke',
    });
    const { client: other } = connect([eventStream([delta('a')]), ended()]);
    expect((await readAll(other.agent('poet').chat('Hi', { conversationId: 'c1' }))).error).toMatchObject({
      name: 'ConnectionError',
      message: 'The reply broke off',
    });
  });

  it('fails when it breaks off without a conversation', async () => {
    const { client, sent } = connect([eventStream([delta('a')])]);
    expect((await readAll(client.agent('poet').chat('Hi'))).error).toBeInstanceOf(ConnectionError);
    expect(sent).toHaveLength(1);
  });

  it('is not followed after an event that is none', async () => {
    const { client, sent } = connect([eventStream(['data: {\n\n'])]);
    const { error } = await readAll(client.agent('poet').chat('Hi', { conversationId: 'c1' }));
    expect(error).toBeInstanceOf(UnexpectedReplyError);
    expect(sent).toHaveLength(1);
  });

  it('throws the reason of its signal, and is not followed', async () => {
    const leaving = new AbortController();
    const { client, sent } = connect([eventStream([delta('a'), delta('b')])]);
    const chat = client.agent('poet').chat('Hi', { conversationId: 'c1', signal: leaving.signal });
    await chat.next();
    leaving.abort(new Error('left'));
    await expect(chat.next()).rejects.toThrow('left');
    expect(sent).toHaveLength(1);
  });
});

describe('a chat that is resumed', () => {
  it('is nothing where there is none', async () => {
    const { client, sent } = connect([new Response(null, { status: 204 })]);
    expect(await readAll(client.agent('poet').resumeChat('c1'))).toEqual({ items: [], error: undefined });
    expect(sent[0]).toMatchObject({ method: 'GET', path: '/agents/poet/chat/c1/stream' });
  });

  it('connects again when it is lost, until it has failed 3 times in a row', async () => {
    const { client, sent } = connect(
      [lost, lost, eventStream([delta('a')]), lost, refusal(503, 'SHUTTING_DOWN'), lost, eventStream([finish])],
      { reconnects: 2 },
    );
    const { error, items } = await readAll(client.agent('poet').resumeChat('c1'));
    expect(items).toEqual([delta('a')]);
    expect(error).toMatchObject({ name: 'ConnectionError', cause: { status: 503 } });
    expect(String(error)).toContain('c1');
    expect(sent).toHaveLength(5);
  });

  it('waits longer with each attempt', async () => {
    const started = Date.now();
    const { client } = connect([lost, lost, lost, eventStream([finish])]);
    await readAll(client.agent('poet').resumeChat('c1'));
    expect(Date.now() - started).toBe(125 + 250 + 500);
  });

  it('fails at once when the server refuses it', async () => {
    const { client, sent } = connect([refusal(404, 'AGENT_NOT_FOUND')]);
    expect((await readAll(client.agent('poet').resumeChat('c1'))).error).toMatchObject({ name: 'NotFoundError' });
    expect(sent).toHaveLength(1);
  });

  it('throws the reason of its signal', async () => {
    const leaving = new AbortController();
    const { client } = connect([
      () => {
        leaving.abort(new Error('left'));
        throw lost;
      },
    ]);
    const { error } = await readAll(client.agent('poet').resumeChat('c1', { signal: leaving.signal }));
    expect(error).toMatchObject({ message: 'left' });
  });
});

describe('the events of an execution', () => {
  const started = { type: 'workflow-start', seq: 1 };
  const step = (seq: number) => ({ type: 'step-complete', from: 'pay', seq });
  const live = { type: 'agent-event', event: delta('a') };
  const result = (seq: number) => ({ type: 'workflow-result', status: 'completed', seq });
  const state = (status: string) => data({ status });

  function follow(replies: Replies, options: object = {}, clientOptions: Parameters<typeof createClient>[0] = {}) {
    const { client, sent } = connect(replies, clientOptions);
    return { events: client.workflow('order').follow('e1', options), sent };
  }
  const lastIds = (sent: ReturnType<typeof follow>['sent']) => sent.map(({ headers }) => headers['last-event-id']);

  it('are read to the result', async () => {
    const { events, sent } = follow([eventStream([started, live, result(2)])]);
    expect(await readAll(events)).toEqual({ items: [started, live, result(2)], error: undefined });
    expect(sent[0]).toMatchObject({ method: 'GET', path: '/workflows/order/executions/e1/stream' });
    expect(lastIds(sent)).toEqual([undefined]);
  });

  it('are also those of an execution object', async () => {
    const { client } = connect([eventStream([result(1)])]);
    expect(await readAll(client.workflow('order').execution('e1'))).toMatchObject({ items: [result(1)] });
  });

  it('go on after the last stored one when the connection breaks, without a gap or a repeat', async () => {
    const onOpen = vi.fn<() => void>();
    const onLost = vi.fn<(error: ConnectionError) => void>();
    const { events, sent } = follow(
      [eventStream([started, live, step(2)], { isBroken: true }), lost, eventStream([step(2), step(3), result(4)])],
      { onOpen, onLost },
    );
    expect(await readAll(events)).toEqual({ items: [started, live, step(2), step(3), result(4)], error: undefined });
    expect(lastIds(sent)).toEqual([undefined, '2', '2']);
    expect(onOpen).toHaveBeenCalledTimes(2);
    expect(onLost.mock.calls.map(([{ cause }]) => String(cause))).toEqual([
      expect.stringContaining('broke'),
      expect.stringContaining('cannot be reached'),
    ]);
  });

  it('begin after a known one', async () => {
    const { events, sent } = follow([eventStream([step(5), step(6), result(7)])], { after: 5 });
    expect((await readAll(events)).items).toEqual([step(6), result(7)]);
    expect(lastIds(sent)).toEqual(['5']);
  });

  it('go on when a proxy ended the stream of a running execution', async () => {
    const { events, sent } = follow([eventStream([started]), state('running'), eventStream([result(2)])]);
    expect(await readAll(events)).toEqual({ items: [started, result(2)], error: undefined });
    expect(sent[1]).toMatchObject({ method: 'GET', path: '/workflows/order/executions/e1' });
  });

  it('end with the stream of an execution that does not run', async () => {
    const { events } = follow([eventStream([result(1), step(2)]), state('cancelled')]);
    expect(await readAll(events)).toEqual({ items: [result(1), step(2)], error: undefined });
  });

  it('go on when the server ends the stream with an error', async () => {
    const onLost = vi.fn<(error: ConnectionError) => void>();
    const { events } = follow(
      [eventStream([started, { type: 'error', error: 'shutting down' }, step(9)]), eventStream([result(2)])],
      { onLost },
    );
    expect(await readAll(events)).toEqual({ items: [started, result(2)], error: undefined });
    expect(onLost.mock.calls[0]?.[0]).toMatchObject({ cause: { message: 'shutting down' } });
  });

  it('fail after too many attempts in a row; an event or a ping begins the count again', async () => {
    const ping = () => eventStream([': ping\n\n'], { isBroken: true });
    const one = () => eventStream([live], { isBroken: true });
    const { events, sent } = follow([lost, ping(), one(), lost, lost], {}, { reconnects: 1 });
    const { error, items } = await readAll(events);
    expect(items).toEqual([live]);
    expect(error).toMatchObject({ name: 'ConnectionError', cause: { name: 'ConnectionError' } });
    expect(String(error)).toContain('e1');
    expect(sent).toHaveLength(4);
  });

  it('fail at once when the server refuses them', async () => {
    const { events, sent } = follow([refusal(404, 'EXECUTION_NOT_FOUND')]);
    expect((await readAll(events)).error).toMatchObject({ name: 'NotFoundError' });
    expect(sent).toHaveLength(1);
  });

  it('throw the reason of the signal', async () => {
    const leaving = new AbortController();
    const { events } = follow([eventStream([started, step(2)])], { signal: leaving.signal });
    await events.next();
    leaving.abort(new Error('left'));
    await expect(events.next()).rejects.toThrow('left');
  });
});

it.each<readonly [unknown, boolean]>([
  [new ConnectionError('x'), true],
  [apiErrorOf(429), true],
  [apiErrorOf(503), true],
  [apiErrorOf(500), false],
  [apiErrorOf(404), false],
  [new UnexpectedReplyError(501, ''), false],
  [new UnexpectedReplyError(502, ''), true],
  [new UnexpectedReplyError(504, ''), true],
  [new UnexpectedReplyError(505, ''), false],
  [new Error('x'), false],
])('knows whether the same request can succeed later: %s, %s', (error, isLater) => {
  expect(isTemporary(error)).toBe(isLater);
});

function apiErrorOf(status: number): ApiError {
  return new ApiError({
    status,
    code: 'X',
    message: String(status),
    requestId: undefined,
    executionId: undefined,
    retryAfterMs: undefined,
  });
}

describe('a pause', () => {
  it('doubles with each attempt up to 10 s, with a random part', () => {
    expect([0, 1, 5, 6, 100].map(backoffMs)).toEqual([125, 250, 4_000, 5_000, 5_000]);
    vi.mocked(Math.random).mockReturnValue(1);
    expect([0, 1, 5, 6, 100].map(backoffMs)).toEqual([250, 500, 8_000, 10_000, 10_000]);
  });

  it('ends with its signal, and leaves no listener', async () => {
    const leaving = new AbortController();
    const remove = vi.spyOn(leaving.signal, 'removeEventListener');
    const paused = pause(1_000, leaving.signal);
    leaving.abort(new Error('left'));
    await expect(paused).rejects.toThrow('left');
    expect(remove).toHaveBeenCalledTimes(1);
    await expect(pause(1_000, leaving.signal)).rejects.toThrow('left');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('ends after its time', async () => {
    const { signal } = new AbortController();
    let isOver = false;
    const paused = pause(1_000, signal).then(() => (isOver = true));
    await vi.advanceTimersByTimeAsync(999);
    expect(isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(isOver).toBe(true);
    await paused;
  });
});
