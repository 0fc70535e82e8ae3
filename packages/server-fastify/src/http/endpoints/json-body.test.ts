import { Agent, createMemory } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { Type } from '@sinclair/typebox';
import { afterEach, describe, expect, it } from 'vitest';
import { defineRoute } from '../../api/define/define-route.ts';
import { endpoint, json, serve, type Served } from '../../testing/serve.ts';

let server: Served | undefined;
afterEach(() => server?.close());

const echo = defineRoute({
  ...endpoint,
  method: 'POST',
  url: '/echo',
  operationId: 'echo',
  body: Type.Object({}, { additionalProperties: true }),
  data: Type.Unknown(),
  handler: ({ body }) => body,
});

async function ask(body: string): Promise<readonly [number, unknown]> {
  const response = await fetch(`${server?.origin}/echo`, json(body));
  return [response.status, await response.json()];
}

describe('the number of values in a body', () => {
  it('is limited', async () => {
    server = await serve([echo], { limits: { jsonValues: 5 } });
    expect(await ask('{"a":[1,2],"b":",[,{,"}')).toEqual([200, { success: true, data: { a: [1, 2], b: ',[,{,' } }]);
    const error = 'body has more than 5 values, which is `limits.jsonValues`';
    expect(await ask('{"a":[1,2,3],"b":4}')).toEqual([400, { success: false, error }]);
  });

  it('is 100 000 by default', async () => {
    server = await serve([echo]);
    const bodyOf = (values: number): string => `{"a":[${'1,'.repeat(values - 3)}1]}`;
    expect((await ask(bodyOf(100_000)))[0]).toBe(200);
    expect((await ask(bodyOf(100_001)))[0]).toBe(400);
  });

  it('accepts a long conversation where messages are sent', async () => {
    const part = { type: 'text', text: 'A line of a long conversation' };
    const call = {
      type: 'tool-search',
      state: 'output-available',
      input: { query: 'boats', limit: 10 },
      output: { found: Array.from({ length: 10 }, (_, place) => ({ id: place, title: 'A boat' })) },
    };
    const history = Array.from({ length: 1_000 }, (_, at) => ({
      id: `m${at}`,
      role: at % 2 === 0 ? 'user' : 'assistant',
      parts:
        at % 2 === 0
          ? [part]
          : [{ type: 'step-start' }, { ...call, toolCallId: `call-${at}` }, { type: 'step-start' }, part],
    }));
    const agent = new Agent({ id: 'a', model: scriptedModel('Hi') });
    server = await serve([], { agents: [agent], memory: createMemory() });
    const post = async (path: string, body: object): Promise<number> =>
      (await fetch(`${server?.origin}${path}`, json(body))).status;
    expect(await post('/agents/a/text', { input: history })).toBe(200);
    const userId = 'ada';
    expect(await post('/api/memory/conversations', { userId, conversationId: 'c' })).toBe(201);
    expect(await post('/api/memory/save-messages', { userId, conversationId: 'c', messages: history })).toBe(200);
  });
});

it('accepts several large bodies at the same time', async () => {
  server = await serve([echo]);
  const texts = Array.from({ length: 8 }, (_, at) => `${at}`.repeat(200_000));
  const replies = await Promise.all(texts.map((text) => ask(JSON.stringify({ text }))));
  expect(replies).toEqual(texts.map((text) => [200, { success: true, data: { text } }]));
});

it.each(['{"__proto__":{"a":1}}', '{"\\u005f_proto__":{"a":1}}', '{"constructor":{"prototype":{"a":1}}}'])(
  'refuses a key that could change the prototype of objects: %s',
  async (body) => {
    server = await serve([echo]);
    expect((await ask(body))[0]).toBe(400);
  },
);
