import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Type } from '@sinclair/typebox';
import { afterEach, describe, expect, it } from 'vitest';
import { defineRoute } from '../../define/define-route.ts';
import { endpoint, exchange, open, serve } from '../../testing/serve.ts';
import { handlePipelinedRequestsInOrder } from './pipelined-requests.ts';

let server: Server | undefined;
let client: Socket;
afterEach(async () => {
  client.destroy();
  server?.closeAllConnections();
  await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
  server = undefined;
});

const post = (path: string, body = ''): string =>
  `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${body.length}\r\n\r\n${body}`;

/** Enough for a request that should wait to begin too early. */
async function someTurns(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await nextTurn();
}

/** A server that answers with the path and the length of the body after `wait`, and the order in which it began and ended to do so. */
async function start(wait: () => Promise<void>): Promise<readonly string[]> {
  const log: string[] = [];
  await listen((request, response) => {
    const { url = '' } = request;
    log.push(`begin ${url}`);
    let length = 0;
    request.on('data', (chunk: Buffer) => (length += chunk.length));
    request.once('end', () => {
      void wait().then(() => {
        log.push(`end ${url}`);
        response.end(`${url} ${length};`);
      });
    });
  });
  return log;
}

async function listen(listener: RequestListener): Promise<number> {
  const listening = createServer(listener);
  handlePipelinedRequestsInOrder(listening);
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  const { port } = listening.address() as AddressInfo;
  client = connect(port, '127.0.0.1');
  return port;
}

/** The bodies of all replies, once there are as many. */
async function replies(count: number): Promise<readonly string[]> {
  let text = '';
  for await (const chunk of client) {
    text += String(chunk);
    const bodies = text.match(/\/\w+ \d+;/g) ?? [];
    if (bodies.length >= count) return bodies;
  }
  throw new Error(`the server closed the connection after ${text}`);
}

it('handles each request after the reply to the one before it', async () => {
  const log = await start(someTurns);
  client.write(post('/a') + post('/b', 'body') + post('/c'));
  expect(await replies(3)).toEqual(['/a 0;', '/b 4;', '/c 0;']);
  expect(log).toEqual(['begin /a', 'end /a', 'begin /b', 'end /b', 'begin /c', 'end /c']);
});

it('answers more requests than may wait, with bodies of any size', async () => {
  await start(nextTurn);
  const paths = Array.from({ length: 1_000 }, (_, index) => `/p${index}`);
  const large = 'x'.repeat(300_000);
  client.write(paths.map((path, index) => post(path, index % 250 === 0 ? large : '')).join(''));
  const lengths = paths.map((path, index) => `${path} ${index % 250 === 0 ? large.length : 0};`);
  expect(await replies(paths.length)).toEqual(lengths);
});

it('handles one request that has waited in each turn of the event loop, of all connections together', async () => {
  let turn = 0;
  let next = setImmediate(function count() {
    turn += 1;
    next = setImmediate(count);
  });
  const turns: number[] = [];
  const port = await listen((request, response) => {
    if (request.url === '/waits') turns.push(turn);
    response.end();
  });
  const others = Array.from({ length: 20 }, () => open(port).resume());
  for (const other of others) other.write(post('/first') + post('/waits').repeat(5));
  await expect.poll(() => turns).toHaveLength(100);
  clearImmediate(next);
  expect(new Set(turns).size).toBe(turns.length);
  for (const other of others) other.destroy();
});

it('does not handle requests of a client that has left', async () => {
  const left = Promise.withResolvers<void>();
  const log = await start(() => left.promise);
  const [[connection]] = await Promise.all([
    once(server ?? expect.fail('no server'), 'connection') as Promise<[Socket]>,
    once(client, 'connect'),
  ]);
  client.write(post('/a') + post('/b'));
  await expect.poll(() => log).toEqual(['begin /a']);
  const closed = new Promise((resolve) => connection.once('close', resolve));
  client.resetAndDestroy();
  await closed;
  left.resolve();
  await someTurns();
  expect(log).toEqual(['begin /a', 'end /a']);
});

it('is a part of each server', async () => {
  const began: string[] = [];
  const slow = defineRoute({
    ...endpoint,
    method: 'GET',
    url: '/slow/:id',
    operationId: 'slow',
    params: Type.Object({ id: Type.String() }),
    data: Type.String(),
    handler: async ({ params }) => {
      began.push(params.id);
      await someTurns();
      return began.join(' ');
    },
  });
  const served = await serve([slow]);
  client = open(served.port);
  client.write(['a', 'b'].map((id) => `GET /slow/${id} HTTP/1.1\r\nhost: localhost\r\n\r\n`).join(''));
  let text = '';
  while (!text.includes('"a b"')) text += String((await once(client, 'data'))[0]);
  expect(text).toContain('"data":"a"');
  client.destroy();
  await served.close();
});

describe('on a server', () => {
  const request = (path: string, lines = ''): string => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n${lines}\r\n`;
  const upgrade =
    'connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhl\r\n';
  const contexts = new AsyncLocalStorage<string>();
  const echo = defineRoute({
    ...endpoint,
    method: 'GET',
    url: '/echo/:id',
    operationId: 'echo',
    params: Type.Object({ id: Type.String() }),
    data: Type.String(),
    handler: async ({ params: { id } }) => {
      const before = contexts.getStore() ?? 'nothing';
      contexts.enterWith(id);
      await someTurns();
      return `${id} after ${before}`;
    },
  });

  async function statusesOf(bytes: string): Promise<string> {
    const served = await serve([echo]);
    try {
      const text = await exchange(served.port, bytes);
      return [...text.matchAll(/HTTP\/1\.1 (\d+)|"(\w+ after \w+)"/g)].map((found) => found[1] ?? found[2]).join(', ');
    } finally {
      await served.close();
    }
  }

  it('stops reading while requests wait, also when replies have been sent', async () => {
    const served = await serve([echo]);
    let waiting = 0;
    let most = 0;
    let replied = 0;
    served.app.server.on('request', (_request, response) => {
      waiting += 1;
      most = Math.max(most, waiting);
      response.once('finish', () => {
        waiting -= 1;
        replied += 1;
      });
    });
    client = open(served.port).resume();
    // More than the buffers of the kernel hold. One read of 64 KiB has 1 900 requests.
    client.write(request('/echo/a').repeat(300_000));
    await expect.poll(() => replied).toBeGreaterThan(20);
    expect(most).toBeGreaterThan(5);
    expect(most).toBeLessThan(15);
    client.destroy();
    await served.close();
  });

  const two = request('/echo/a') + request('/echo/b');
  const bothReplies = '200, a after nothing, 200, b after nothing';

  it.each([
    [
      'keeps AsyncLocalStorage of the requests apart',
      request('/echo/a') + request('/echo/b', 'connection: close\r\n'),
      '',
    ],
    [
      'ignores what follows the last request',
      request('/echo/a') + request('/echo/b', 'connection: close\r\n') + two,
      '',
    ],
    ['answers requests before an invalid one first', `${two}BOGUS\r\n\r\n`, ', 400'],
    ['answers requests before CONNECT first', `${two}CONNECT x:1 HTTP/1.1\r\nhost: localhost\r\n\r\n`, ', 404'],
    ['answers requests before an upgrade, then closes', two + request('/ws', upgrade), ''],
  ])('%s', async (_title, bytes, after) => {
    expect(await statusesOf(bytes)).toBe(`${bothReplies}${after}`);
  });

  it('keeps AsyncLocalStorage apart also when more requests arrive than may wait', async () => {
    const ids = Array.from({ length: 30 }, (_, index) => `p${index}`);
    const bytes = ids.map((id) => request(`/echo/${id}`)).join('') + request('/', 'connection: close\r\n');
    const expected = ids.map((id) => `200, ${id} after nothing`);
    expect(await statusesOf(bytes)).toBe([...expected, '200'].join(', '));
  });
});
