import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { json, open, serve, type Served } from '../../testing/serve.ts';

const mebibyte = 1024 * 1024;

let server: Served | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

describe('a body that is too large', () => {
  const length = `content-length: ${9 * mebibyte}`;
  const chunked = 'transfer-encoding: chunked';
  const asIs = (bytes: Buffer): Buffer => bytes;
  it.each([
    ['with its length', length, asIs],
    ['in chunks', chunked, asChunk],
    ['with its length, and closes', `connection: close\r\n${length}`, asIs],
    ['in chunks, and closes', `${chunked}\r\nconnection: close`, asChunk],
  ])('is refused with 413 also to a client that reads after it has sent it, %s', async (_, header, encode) => {
    server = await serve();
    const socket = post(server, header);
    socket.pause();
    const bytes = Buffer.alloc(mebibyte, ' ');
    for (let sent = 0; sent < 9; sent += 1) socket.write(encode(bytes));
    await new Promise<void>((resolve) => socket.write(encode === asChunk ? '0\r\n\r\n' : '', () => resolve()));

    const answer = await replyOn(socket);
    expect(answer).toMatch(/^HTTP\/1.1 413 /);
    expect(answer).toContain('x-error-code: BODY_TOO_LARGE');
    expect(answer).toContain(
      '{"success":false,"error":"body is too large: at most 8 MiB. In a stored conversation, send only the newest message instead of all; send large files as URLs"}',
    );
    socket.destroy();
  });

  it('ends the connection of a client that closes it, when the body has ended', async () => {
    server = await serve();
    const socket = post(server, `connection: close\r\n${length}`);
    socket.pause();
    socket.write(Buffer.alloc(9 * mebibyte, ' '));
    let answer = '';
    for await (const chunk of socket.setEncoding('latin1')) answer += chunk;
    expect(answer).toMatch(/^HTTP\/1.1 413 /);
  });

  it('is refused with 413 by fetch, each time', async () => {
    server = await serve();
    const body = JSON.stringify({ input: 'x'.repeat(9 * mebibyte) });
    for (let round = 0; round < 10; round += 1) {
      const response = await fetch(`${server.origin}/agents/unknown/text`, json(body));
      expect([response.status, response.headers.get('x-error-code')]).toEqual([413, 'BODY_TOO_LARGE']);
      await response.text();
    }
  });

  it('is not read for longer than any other request', async () => {
    server = await serve([], { limits: { requestTimeoutMs: 1, headersTimeoutMs: 1 } });
    const socket = post(server, 'transfer-encoding: chunked');
    socket.resume();
    const closed = closeOf(socket);
    const bytes = asChunk(Buffer.alloc(mebibyte, ' '));
    while (!socket.destroyed) if (!socket.write(bytes)) await Promise.race([drainOf(socket), closed]);
    await closed;
    expect(socket.destroyed).toBe(true);
  });
});

describe('the rest of the body of a refused request', () => {
  it('leaves the connection to the next request', async () => {
    server = await serve([], { limits: { bytesInProgress: mebibyte } });
    const socket = post(server, `content-length: ${2 * mebibyte}`).setEncoding('latin1');
    const [refused] = await once(socket, 'data');
    socket.write(Buffer.alloc(2 * mebibyte, ' '));
    socket.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n');
    const [next] = await once(socket, 'data');
    expect([refused, next]).toEqual([
      expect.stringMatching(/^HTTP\/1.1 429 /),
      expect.stringMatching(/^HTTP\/1.1 200 /),
    ]);
    socket.destroy();
  });
});

function closeOf(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

function drainOf(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('drain', () => resolve()));
}

function post({ port }: Served, header: string): Socket {
  const socket = open(port);
  socket.write(
    `POST /agents/unknown/text HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n${header}\r\n\r\n`,
  );
  return socket;
}

function asChunk(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
}

/** The bytes that the server has sent until the end of the JSON envelope. */
async function replyOn(socket: Socket): Promise<string> {
  let answer = '';
  for await (const chunk of socket.setEncoding('latin1')) {
    answer += chunk;
    if (answer.endsWith('}')) break;
  }
  return answer;
}
