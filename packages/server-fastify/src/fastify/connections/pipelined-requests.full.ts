import { once } from 'node:events';
import { Type } from '@sinclair/typebox';
import { expect, it } from 'vitest';
import { defineRoute } from '../../define/define-route.ts';
import { endpoint, exchange, serve } from '../../testing/serve.ts';

// Node ends slow requests by timers of its own, which no test can replace.

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
