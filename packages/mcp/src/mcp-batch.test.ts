import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { createTool } from '@halyard/core';
import type { ServerOptions } from '@halyard/server-fastify';
import { expect, it } from 'vitest';
import { mcpServer } from './mcp-server.ts';
import { openServer } from './testing/open-server.ts';

/** A server with a tool that counts how many of its calls run at the same time. */
async function serve(
  options: ServerOptions = {},
  onCall: (signal: AbortSignal) => Promise<unknown> = () => yieldToEventLoop(),
) {
  const calls = { started: 0, running: 0, most: 0 };
  const work = createTool({
    name: 'work',
    description: 'Works',
    input: { type: 'object', properties: { fails: { type: 'boolean' } } } as const,
    execute: async (input, { signal }) => {
      calls.started += 1;
      calls.running += 1;
      calls.most = Math.max(calls.most, calls.running);
      try {
        await onCall(signal);
        if ((input as { readonly fails?: boolean }).fails === true) throw new Error('broken');
        return 'done';
      } finally {
        calls.running -= 1;
      }
    },
  });
  const mcpServers = [mcpServer({ id: 'shop', version: '1.0.0', tools: [work] })];
  const url = `${await openServer({ mcpServers, ...options })}/mcp/shop`;
  const send = (body: unknown, signal?: AbortSignal): Promise<Response> =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify(body),
      ...(signal !== undefined && { signal }),
    });
  return { calls, send };
}

function call(id: unknown, input: object = {}) {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'work', arguments: input } };
}

function batch(count: number) {
  return Array.from({ length: count }, (_, id) => call(id));
}

/** The replies in an event stream. */
async function answersIn(reply: Response): Promise<readonly { readonly id: number; readonly result?: unknown }[]> {
  const lines = (await reply.text()).split('\n');
  return lines.flatMap((line) => (line.startsWith('data: {') ? [JSON.parse(line.slice('data: '.length))] : []));
}

it('runs no more calls at the same time than a caller may send requests, and answers all of them', async () => {
  const { calls, send } = await serve({ limits: { requestsPerCaller: 3 } });
  const replies = await Promise.all([send(batch(100)), send(batch(50)), send(batch(10))]);
  for (const [index, count] of [100, 50, 10].entries()) {
    const answers = await answersIn(replies[index] ?? Response.error());
    expect(answers.map(({ id }) => id)).toEqual(Array.from({ length: count }, (_, id) => id));
    for (const { result } of answers) expect(result).toEqual({ content: [{ type: 'text', text: 'done' }] });
  }
  expect(calls).toEqual({ started: 160, running: 0, most: 3 });
});

it('answers the calls after one that fails', async () => {
  const { calls, send } = await serve();
  const answers = await answersIn(await send([call(0, { fails: true }), call(1, { fails: 'yes' }), call(2)]));
  expect(answers.map(({ id }) => id)).toEqual([0, 1, 2]);
  expect(answers.map(({ result }) => (result as { isError?: boolean }).isError)).toEqual([true, true, undefined]);
  expect(calls.started).toBe(2);
});

it('starts no further call of a client that has left', async () => {
  const begun = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  const { calls, send } = await serve({}, async (signal) => {
    signal.addEventListener('abort', () => left.resolve());
    begun.resolve();
    await left.promise;
  });
  const client = new AbortController();
  const sent = send(batch(20), client.signal).then((reply) => reply.text());
  await begun.promise;
  client.abort();
  await expect(sent).rejects.toThrow('aborted');
  await left.promise;
  for (let turn = 0; turn < 100; turn += 1) await yieldToEventLoop();
  expect(calls.started).toBe(1);
});

it.each([
  ['numbers', 7, [call(1), call(7), call(7)]],
  ['texts', 'a', [call('a'), { jsonrpc: '2.0', id: 'a', method: 'tools/list' }]],
])('refuses a batch in which two requests have the same id: %s', async (_, id, body) => {
  const { calls, send } = await serve();
  const reply = await send(body);
  expect(reply.status).toBe(400);
  expect(await reply.json()).toEqual({
    jsonrpc: '2.0',
    id: null,
    error: { code: -32_600, message: `Invalid Request: two requests of the batch have the id ${JSON.stringify(id)}` },
  });
  expect(calls.started).toBe(0);
});

it('accepts notifications, which have no id, in a batch', async () => {
  const { send } = await serve();
  const notification = { jsonrpc: '2.0', method: 'notifications/initialized' };
  const answers = await answersIn(await send([notification, notification, call(1), call('1')]));
  expect(answers.map(({ id }) => id)).toEqual([1, '1']);
});

it('counts each message for `rateLimit`', async () => {
  const { calls, send } = await serve({ rateLimit: { max: 10 } });
  expect(await answersIn(await send(batch(7)))).toHaveLength(7);
  const refused = await send(batch(5));
  expect(refused.status).toBe(429);
  expect(refused.headers.get('x-error-code')).toBe('RATE_LIMITED');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(5);
  expect((await send(call(1))).status).toBe(429);
  expect(calls.started).toBe(7);
});
