import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Type } from '@sinclair/typebox';
import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { defineRoute } from '../../define/define-route.ts';
import { endpoint, exchange, serve } from '../../testing/serve.ts';
import { serveHalyard } from '../halyard.ts';

// Node ends slow requests and unread replies by timers of its own, which no test can replace.

const request = (path: string, lines = ''): string => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n${lines}\r\n`;
const receive = defineRoute({
  ...endpoint,
  method: 'POST',
  url: '/receive',
  operationId: 'receive',
  body: Type.Object({ text: Type.String() }),
  data: Type.Integer(),
  handler: ({ body }) => body.text.length,
});
const release = Promise.withResolvers<void>();
const wait = defineRoute({
  ...endpoint,
  method: 'GET',
  url: '/wait',
  operationId: 'wait',
  data: Type.Null(),
  handler: async () => {
    await release.promise;
    return null;
  },
});

it('gives the body of a request that has waited the whole time to arrive', async () => {
  const served = await serve([receive, wait], { limits: { requestTimeoutMs: 5_000 } });
  const expired = once(served.app.server, 'clientError');
  const body = JSON.stringify({ text: 'x'.repeat(400_000) });
  const posted = `POST /receive HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
  const text = exchange(served.port, `${request('/wait')}${posted}${body}${posted}{`);
  await expired;
  release.resolve();
  expect([...(await text).matchAll(/HTTP\/1\.1 (\d+)|"data":\d+/g)].map(([found]) => found)).toEqual([
    'HTTP/1.1 200',
    'HTTP/1.1 200',
    '"data":400000',
    'HTTP/1.1 408',
  ]);
  await served.close();
});

const large = defineRoute({
  ...endpoint,
  method: 'GET',
  url: '/large',
  operationId: 'large',
  data: Type.String(),
  handler: () => 'x'.repeat(100_000),
});
const pause = defineRoute({
  ...endpoint,
  method: 'GET',
  url: '/pause',
  operationId: 'pause',
  data: Type.Null(),
  handler: async () => {
    await delay(4_500);
    return null;
  },
});

const limits = { unreadAnswerMs: 2_000 };
const slowRequests = `${request('/pause')}${request('/large')}${request('/pause', 'connection: close\r\n')}`;

it('gives requests before and behind a large reply as long as any other', async () => {
  const served = await serve([large, pause], { limits });
  expect((await exchange(served.port, slowRequests)).match(/"data":null/g)).toHaveLength(2);
  await served.close();
});

it('gives them as long in an app with the plugin, which handles them at the same time', async () => {
  const app = Fastify({ pluginTimeout: 0 });
  await serveHalyard(app, { limits }, { endpoints: [large] });
  app.get('/pause', async () => {
    await delay(4_500);
    return { data: null };
  });
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
  expect((await exchange(Number(port), slowRequests)).match(/"data":null/g)).toHaveLength(2);
  await app.close();
});
