import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { Type } from '@sinclair/typebox';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { defineRoute } from '../../define/define-route.ts';
import { endpoint, exchange, open, serve, type Served } from '../../testing/serve.ts';

const contexts = new AsyncLocalStorage<string>();
let began: string[];
let release: PromiseWithResolvers<void>;
const echo = defineRoute({
  ...endpoint,
  method: 'POST',
  url: '/echo/:id',
  operationId: 'echo',
  params: Type.Object({ id: Type.String() }),
  data: Type.String(),
  handler: async ({ params: { id } }) => {
    began.push(id);
    const before = contexts.getStore() ?? 'nothing';
    contexts.enterWith(id);
    if (id === 'waits') await release.promise;
    return `${id} after ${before}`;
  },
});

let server: Served;
beforeEach(async () => {
  began = [];
  release = Promise.withResolvers();
  server = await serve([echo]);
});
afterEach(() => server.close());

const post = (id: string): string => `POST /echo/${id} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\n\r\n`;

it('answers one request behind another after it, in a context of its own, and then closes the connection', async () => {
  const text = await exchange(server.port, post('a') + post('b') + post('c') + post('d'));
  expect([...text.matchAll(/HTTP\/1\.1 \d+|"data":"[^"]+"|connection: close/gi)].map(([found]) => found)).toEqual([
    'HTTP/1.1 200',
    '"data":"a after nothing"',
    'HTTP/1.1 200',
    expect.stringMatching(/connection: close/i),
    '"data":"b after nothing"',
  ]);
  expect(began).toEqual(['a', 'b']);
});

it('begins it only when the one before it has been answered', async () => {
  const replies = exchange(server.port, post('waits') + post('b'));
  await expect.poll(() => began).toEqual(['waits']);
  for (let turns = 0; turns < 20; turns += 1) await turn();
  expect(began).toEqual(['waits']);
  release.resolve();
  expect((await replies).match(/"data"/g)).toHaveLength(2);
});

it('disconnects a client that sends many while one is being answered', async () => {
  const client = open(server.port).resume();
  const closed = once(client, 'close');
  client.write(post('waits') + post('b').repeat(200));
  await closed;
  expect(began).toEqual(['waits']);
  release.resolve();
});

it('answers requests that follow each other, and those that the app injects', async () => {
  const client = open(server.port).setEncoding('latin1');
  for (const id of ['a', 'b', 'c']) {
    client.write(post(id));
    expect(String((await once(client, 'data'))[0])).toContain('HTTP/1.1 200');
  }
  client.destroy();
  expect((await server.app.inject({ method: 'POST', url: '/echo/d' })).statusCode).toBe(200);
});
