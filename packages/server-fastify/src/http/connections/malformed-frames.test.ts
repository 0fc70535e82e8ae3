import type { Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { frame, seeded } from '../../testing/malformed-frames.ts';
import { allClosed, connectRaw, sendMalformedFrames } from '../../testing/send-malformed-frames.ts';
import { serve, type Served } from '../../testing/serve.ts';
import { connectTo } from '../../testing/sockets.ts';

let server: Served;
afterEach(() => server.close());

/** The code of the server's close frame. */
async function closeCode(socket: Socket, bytes: Buffer): Promise<number> {
  socket.write(bytes);
  let answer = '';
  for await (const chunk of socket) {
    answer += chunk;
    if (answer.length >= 4) break;
  }
  socket.destroy();
  const reply = Buffer.from(answer, 'latin1');
  expect(reply[0]).toBe(0x88);
  return reply.readUInt16BE(2);
}

const text = (content: string | Buffer): Buffer => Buffer.from(content);

it.each([
  ['without a mask', frame(0x81, text('1'), { isMasked: false }), 1002],
  ['of a reserved opcode', frame(0x83, text('1')), 1002],
  ['of a reserved control opcode', frame(0x8b, text('')), 1002],
  ['with a reserved bit', frame(0xa1, text('1')), 1002],
  ['that claims to be compressed', frame(0xc1, text('1')), 1002],
  ['that continues nothing', frame(0x80, text('1')), 1002],
  ['that is a fragmented ping', frame(0x09, text('1')), 1002],
  ['that is a ping of 126 bytes', frame(0x89, Buffer.alloc(126)), 1002],
  ['that begins while another is not done', Buffer.concat([frame(0x01, text('1')), frame(0x01, text('2'))]), 1002],
  ['that closes with one byte', frame(0x88, Buffer.alloc(1)), 1002],
  ['that closes with a code that may not be sent', frame(0x88, Buffer.from([3, 238])), 1002],
  ['that closes with a reason that is not UTF-8', frame(0x88, Buffer.from([3, 232, 0xff])), 1007],
  ['that is not UTF-8', frame(0x81, Buffer.from([0xc3, 0x28])), 1007],
  ['that has half a surrogate', frame(0x81, Buffer.from([0xed, 0xa0, 0x80])), 1007],
  ['of a byte too many', frame(0x81, Buffer.alloc(64 * 1024 + 1, 0x31)), 1009],
  ['that declares a length above the limit', frame(0x81, text(''), { length: 0x7fffffff }), 1009],
  [
    'of small parts that are too many bytes together',
    Buffer.concat([frame(0x01, Buffer.alloc(40_000, 0x31)), frame(0x80, Buffer.alloc(40_000, 0x31))]),
    1009,
  ],
])('closes for a frame %s', async (_, bytes, code) => {
  server = await serve();
  expect(await closeCode(await connectRaw(server.port), bytes)).toBe(code);
});

it('does not negotiate compression', async () => {
  server = await serve();
  const { next, socket } = connectTo(`${server.origin}/ws`, { perMessageDeflate: true });
  await next();
  expect(socket.extensions).toBe('');
  const raw = await connectRaw(server.port, 'sec-websocket-extensions: permessage-deflate');
  expect(await closeCode(raw, frame(0xc1, Buffer.alloc(1000)))).toBe(1002);
});

it('accepts a text of exactly the limit', async () => {
  server = await serve();
  const { next, socket } = connectTo(`${server.origin}/ws`);
  await next();
  const data = 'x'.repeat(64 * 1024 - 2);
  socket.send(JSON.stringify(data));
  expect(await next()).toMatchObject({ data });
});

it('survives malformed frames without leaking sockets', async () => {
  server = await serve();
  const bystander = connectTo(`${server.origin}/ws`);
  await bystander.next();
  await sendMalformedFrames(server.port, seeded(7), 100);
  bystander.socket.send('1');
  expect(await bystander.next()).toMatchObject({ type: 'ECHO', data: 1 });
  bystander.socket.close();
  await bystander.closed;
  await allClosed(server);
});
