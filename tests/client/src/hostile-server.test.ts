import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { ClientError, createClient, UnexpectedReplyError } from '@halyard/client';
import { afterEach, describe, expect, it } from 'vitest';

const closers: (() => unknown)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function open(listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

it.each([302, 307, 308])('does not follow a redirect (%i) to another host', async (status) => {
  const seen: IncomingHttpHeaders[] = [];
  const other = await open((request, response) => {
    seen.push(request.headers);
    response.end('{}');
  });
  const port = await open((_, response) =>
    response.writeHead(status, { location: `http://localhost:${other}/` }).end(),
  );
  const client = createClient({ baseUrl: `http://127.0.0.1:${port}`, token: 'the token', consoleKey: 'the key' });
  await expect(client.api.GET('/agents')).rejects.toMatchObject({ name: 'UnexpectedReplyError', status });
  await expect(client.agent('helper').text('private')).rejects.toMatchObject({ name: 'UnexpectedReplyError', status });
  expect(seen).toEqual([]);
});

it.each([
  ['token', 'sec\nret'],
  ['token', '\nsecret'],
  ['consoleKey', 'sec\u0000ret'],
  ['consoleKey', 'secret…'],
])('names no credential in an error when it can be in no header: %s %j', async (option, value) => {
  const client = createClient({ baseUrl: 'http://127.0.0.1:9', [option]: value });
  const error: unknown = await client
    .agent('helper')
    .text('Hi')
    .catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ClientError);
  expect(inspect(error)).not.toContain('ret');
});

it('sends a credential with a line break at its end, as files have it', async () => {
  let received: string | undefined;
  const port = await open((request, response) => {
    received = request.headers.authorization;
    response.setHeader('content-type', 'application/json').end('{"success":true,"data":[]}');
  });
  await createClient({ baseUrl: `http://127.0.0.1:${port}`, token: 'secret\n' }).api.GET('/agents');
  expect(received).toBe('Bearer secret');
});

describe('a stream', () => {
  const streaming = (write: (response: Parameters<RequestListener>[1]) => void): Promise<number> =>
    open((_, response) => write(response.writeHead(200, { 'content-type': 'text/event-stream' })));

  it.each(['null', '5', '"text"'])('ends with an error at an event that is no object: %s', async (data) => {
    const port = await streaming((response) => response.end(`data: ${data}\n\n`));
    const client = createClient({ baseUrl: `http://127.0.0.1:${port}`, reconnects: 0 });
    await expect(client.agent('helper').stream('Hi').next()).rejects.toThrow(UnexpectedReplyError);
    await expect(client.workflow('orders').follow('e1').next()).rejects.toThrow(UnexpectedReplyError);
  });

  it('ends with an error at an event that does not end', async () => {
    const chunk = Buffer.alloc(1024 * 1024, 'a');
    const port = await streaming((response) => {
      const write = (): void => {
        while (!response.destroyed && response.write(chunk));
        response.once('drain', write);
      };
      response.write('data: ');
      write();
    });
    const client = createClient({ baseUrl: `http://127.0.0.1:${port}` });
    await expect(client.agent('helper').stream('Hi').next()).rejects.toThrow(UnexpectedReplyError);
  });
});
