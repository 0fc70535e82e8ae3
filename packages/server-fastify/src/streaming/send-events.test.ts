import { once } from 'node:events';
import { type IncomingMessage, request, type Server, createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTick } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { comment, frame } from './frame.ts';
import { OpenStreams } from './open-streams.ts';
import { sendEvents, sendPing } from './send-events.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

/** A response to a client, whose head is written. */
async function open(): Promise<{ readonly reply: Promise<IncomingMessage>; readonly response: ServerResponse }> {
  const server = createServer();
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const sent = request({ host: '127.0.0.1', port });
  const reply = once(sent, 'response').then(([message]) => message as IncomingMessage);
  reply.catch(() => {});
  sent.on('error', () => {});
  sent.end();
  const [, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  return { reply, response };
}

async function textOf(reply: Promise<IncomingMessage>): Promise<string> {
  let text = '';
  for await (const chunk of await reply) text += String(chunk);
  return text;
}

const stream = {
  encode: (event: unknown) => (event === 'nothing' ? '' : `<${String(event)}>`),
  encodeFailure: (error: string) => `!${error}`,
  terminator: '.',
};
const options = (more: object = {}) => ({
  stream,
  signal: new AbortController().signal,
  describeFailure: (error: unknown) => `described ${String(error)}`,
  ...more,
});

async function* batches(...all: readonly (readonly string[])[]): AsyncGenerator<readonly string[]> {
  yield* all;
}

it('writes each batch once, skips events that are not sent, and ends with the terminator', async () => {
  const { reply, response } = await open();
  const write = vi.spyOn(response, 'write');
  await sendEvents(batches(['a', 'b'], ['nothing'], [], ['c', 'nothing']), response, options());
  expect(await textOf(reply)).toBe('<a><b><c>.');
  expect(write.mock.calls.map(([text]) => text)).toEqual(['<a><b>', '<c>']);
  expect(response.closed).toBe(true);
});

it('ends without a text where the stream has no terminator', async () => {
  const { reply, response } = await open();
  const end = vi.spyOn(response, 'end');
  await sendEvents(batches(['a']), response, options({ stream: { ...stream, terminator: '' } }));
  expect(await textOf(reply)).toBe('<a>');
  expect(end.mock.calls).toEqual([[]]);
});

it('sends the head alone when there is no event yet', async () => {
  const { reply, response } = await open();
  const flush = vi.spyOn(response, 'flushHeaders');
  const ready = Promise.withResolvers<void>();
  const sent = sendEvents(
    (async function* () {
      await ready.promise;
      yield ['a'];
    })(),
    response,
    options(),
  );
  expect((await reply).statusCode).toBe(200);
  expect(flush).toHaveBeenCalledTimes(1);
  ready.resolve();
  await sent;
  expect(await textOf(reply)).toBe('<a>.');
});

it('sends the head with the first events in one write', async () => {
  const { reply, response } = await open();
  const flush = vi.spyOn(response, 'flushHeaders');
  await sendEvents(batches(['a']), response, options());
  await textOf(reply);
  await nextTick();
  expect(flush).not.toHaveBeenCalled();
});

it('ends with the description of a failure', async () => {
  const { reply, response } = await open();
  const failing = (async function* () {
    yield ['a'];
    throw new TypeError('broken');
  })();
  await sendEvents(failing, response, options());
  expect(await textOf(reply)).toBe('<a>!described TypeError: broken');
});

it.each([
  ['an error', new Error('shutting down'), '!shutting down'],
  ['a text', 'gone', '!gone'],
])('ends with the reason of its signal: %s', async (_, reason, last) => {
  const { reply, response } = await open();
  const stop = new AbortController();
  let isReleased = false;
  const endless = (async function* () {
    try {
      yield ['a'];
      stop.abort(reason);
      yield ['b'];
      yield ['c'];
    } finally {
      isReleased = true;
    }
  })();
  await sendEvents(endless, response, options({ signal: stop.signal }));
  expect(await textOf(reply)).toBe(`<a>${last}`);
  expect(isReleased).toBe(true);
});

it('sends only the reason of a signal that is aborted before', async () => {
  const { reply, response } = await open();
  await sendEvents(batches(['a']), response, options({ signal: AbortSignal.abort(new Error('too late')) }));
  expect(await textOf(reply)).toBe('!too late');
});

it('asks for no batch while the client does not read, and goes on when it does', async () => {
  const { reply, response } = await open();
  let asked = 0;
  const large = 'x'.repeat(1024 * 1024);
  const source = (async function* () {
    for (asked = 1; asked <= 64; asked += 1) yield [large];
  })();
  const sent = sendEvents(source, response, options());
  const message = await reply;
  await vi.waitFor(() => expect(response.writableNeedDrain).toBe(true));
  for (let ticks = 0; ticks < 20; ticks += 1) await nextTick();
  expect(asked).toBeLessThan(64);
  let length = 0;
  for await (const chunk of message) length += (chunk as Buffer).length;
  await sent;
  expect([asked, length]).toEqual([65, 64 * (large.length + 2) + 1]);
});

it('ends for a client that does not read when its signal is aborted', async () => {
  const { reply, response } = await open();
  const stop = new AbortController();
  const source = (async function* () {
    for (;;) yield ['x'.repeat(1024 * 1024)];
  })();
  const sent = sendEvents(source, response, options({ signal: stop.signal }));
  const message = await reply;
  await vi.waitFor(() => expect(response.writableNeedDrain).toBe(true));
  stop.abort(new Error('over'));
  let last = '';
  for await (const chunk of message) last = (last + String(chunk)).slice(-5);
  await sent;
  expect(last).toBe('!over');
});

it('resolves for a client that has left, and describes its failure nevertheless', async () => {
  const { reply, response } = await open();
  response.flushHeaders();
  (await reply).destroy();
  await once(response, 'close');
  const describeFailure = vi.fn<(error: unknown) => string>(() => '');
  const failing = (async function* (): AsyncGenerator<readonly string[]> {
    yield [];
    throw new Error('ours');
  })();
  await sendEvents(failing, response, options({ describeFailure }));
  expect(describeFailure).toHaveBeenCalledTimes(1);
});

it('pings a response that can take it, and no other', async () => {
  const { reply, response } = await open();
  const write = vi.spyOn(response, 'write');
  sendPing(response);
  expect(write).toHaveBeenCalledExactlyOnceWith(': ping\n\n');
  response.write('x'.repeat(8 * 1024 * 1024));
  expect(response.writableNeedDrain).toBe(true);
  sendPing(response);
  expect(write).toHaveBeenCalledTimes(2);
  const text = textOf(reply);
  response.end();
  sendPing(response);
  await text;
  response.destroy();
  sendPing(response);
  expect(write).toHaveBeenCalledTimes(2);
});

it('pings all open responses with one timer, which exists only while there are any', async () => {
  const [one, other] = [await open(), await open()];
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const streams = new OpenStreams(1_000);
  const writes = [one, other].map(({ response }) => vi.spyOn(response, 'write'));
  expect(streams.count).toBe(0);
  streams.keepAlive(one.response);
  streams.keepAlive(other.response);
  expect([streams.count, vi.getTimerCount()]).toEqual([2, 1]);
  await vi.advanceTimersByTimeAsync(999);
  expect(writes.map(({ mock }) => mock.calls.length)).toEqual([0, 0]);
  await vi.advanceTimersByTimeAsync(1);
  expect(writes.map(({ mock }) => mock.calls)).toEqual([[[': ping\n\n']], [[': ping\n\n']]]);
  one.response.destroy();
  await once(one.response, 'close');
  expect([streams.count, vi.getTimerCount()]).toEqual([1, 1]);
  other.response.destroy();
  await once(other.response, 'close');
  expect([streams.count, vi.getTimerCount()]).toEqual([0, 0]);
  const third = await open();
  streams.keepAlive(third.response);
  expect([streams.count, vi.getTimerCount()]).toEqual([1, 1]);
  third.response.destroy();
  await once(third.response, 'close');
  vi.useRealTimers();
});

it('keeps a comment in one line, so that it ends nothing', () => {
  expect(comment('a\nb\r\n\nc')).toBe(': a b c\n\n');
  expect(frame({ a: 1 })).toBe('data: {"a":1}\n\n');
});
