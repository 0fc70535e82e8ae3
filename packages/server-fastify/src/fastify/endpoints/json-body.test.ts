import { setImmediate as nextTurn } from 'node:timers/promises';
import { Type } from '@sinclair/typebox';
import Fastify from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { defineRoute } from '../../define/define-route.ts';
import { defaultLimits } from '../../limits.ts';
import { endpoint, json, serve, type Served } from '../../testing/serve.ts';
import { BytesInProgress } from '../guards/bytes-in-progress.ts';
import { acceptJsonBodies } from './json-body.ts';

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
    expect(await ask('{"a":[1,2,3],"b":4}')).toEqual([400, { success: false, error: 'body has more than 5 values' }]);
  });

  it('is 100 000 by default', async () => {
    server = await serve([echo]);
    expect((await ask(`{"a":[${'1,'.repeat(99_997)}1]}`))[0]).toBe(200);
    expect((await ask(`{"a":[${'1,'.repeat(99_999)}1]}`))[0]).toBe(400);
  });
});

it('accepts several large bodies at the same time', async () => {
  server = await serve([echo]);
  const texts = Array.from({ length: 8 }, (_, at) => `${at}`.repeat(200_000));
  const replies = await Promise.all(texts.map((text) => ask(JSON.stringify({ text }))));
  expect(replies).toEqual(texts.map((text) => [200, { success: true, data: { text } }]));
});

it.each([
  ['large', 8 * 1024, ['other work', 'handler']],
  ['small', 1024, ['handler', 'other work']],
])('does other work after the validation of a body only if it is large: %s', async (_, length, expected) => {
  const app = Fastify();
  acceptJsonBodies(app, defaultLimits, new BytesInProgress(defaultLimits, () => undefined));
  const order: string[] = [];
  app.post('/', {
    preValidation: (_request, _reply, done) => {
      setImmediate(() => order.push('other work'));
      done();
    },
    handler: async () => {
      order.push('handler');
      await nextTurn();
      return order;
    },
  });
  const reply = await app.inject({ method: 'POST', url: '/', payload: { text: 'x'.repeat(length) } });
  await app.close();
  expect(reply.json()).toEqual(expected);
});
