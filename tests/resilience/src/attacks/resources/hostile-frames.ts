import { once } from 'node:events';
import type { Socket } from 'node:net';
import { frame, malformedFrame, seeded } from '../../../../../packages/server-fastify/src/testing/malformed-frames.ts';
import type { Attack } from '../harness/attack.ts';
import { Bystander, describeFare, judgeFare, stallBoundMs } from './bystander.ts';
import { megabyte } from './measured-target.ts';
import { closesWithin, openWebSocket, refusalOfSockets, write } from './raw-socket.ts';
import { figure, openResourceTarget, type ResourceTarget } from './resource-target.ts';

const boundMb = 8;
const together = 25;
const framesEach = 50;
const closeMs = 5_000;

/**
 * Malformed frames at random, then each of the classic ones, while another caller uses the server.
 */
export const hostileFrames: Attack = {
  name: 'hostile-frames',
  summary: '60 000 malformed WebSocket frames, endless fragments, huge lengths, compression bombs, ping floods',
  plants: { 'large-messages': /fragments without end: the connection stayed open/ },
  run: async (run) => {
    const { boundMs, bySize, plant, seed } = run;
    const frames = bySize({ planted: 500, short: 60_000, long: 1_000_000 });
    const target = await openResourceTarget(
      run,
      plant === undefined
        ? {}
        : { limits: { webSocketMessageBytes: 512 * megabyte, webSocketBufferBytes: 512 * megabyte } },
    );
    try {
      const missing = await refusalOfSockets(target);
      if (missing !== undefined) return { count: '0 frames', findings: [], missing };
      const random = seeded(seed);
      await sendFrames(target, random, 2_000);
      const bystander = await Bystander.start(target);
      const before = await target.report();
      await sendFrames(target, random, frames);
      const findings = [...(await classics(target))];
      const others = await bystander.stop();
      const after = await target.untilSockets(before.sockets);
      const stallMs = after.longestStallMs;

      const grownMb = Math.round((after.usedBytes - before.usedBytes) / megabyte);
      const left = after.sockets - before.sockets;
      findings.push(...judgeFare(others, stallMs, boundMs));
      if (grownMb > boundMb) findings.push(`the memory grew by ${grownMb} MB`);
      if (left > 0) findings.push(`${left} sockets stayed open`);
      return {
        count: `${frames} frames, and ${Object.keys(connectionsThatMustEnd).length} attacks by hand`,
        measured: `memory growth ${figure(grownMb, 'MB')}, ${describeFare(others, stallMs)}`,
        target: `every malformed connection closed, < ${boundMb} MB, stalls < ${boundMs ?? stallBoundMs} ms`,
        findings,
      };
    } finally {
      await target.close();
    }
  },
};

async function sendFrames(target: ResourceTarget, random: (below: number) => number, count: number): Promise<void> {
  let left = Math.ceil(count / framesEach);
  const attacker = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const socket = await openWebSocket(target);
      if (socket === undefined) {
        // Another server may refuse some while it has too much to do.
        if (!target.isOwn) continue;
        throw new Error('the server refused a WebSocket');
      }
      socket.resume();
      const closed = once(socket, 'close');
      socket.end(Buffer.concat(Array.from({ length: framesEach }, () => malformedFrame(random))));
      await closed;
    }
  };
  await Promise.all(Array.from({ length: together }, attacker));
}

/** @returns which of them did not end their connection. */
async function classics(target: ResourceTarget): Promise<readonly string[]> {
  const sent = await Promise.all(
    Object.entries(connectionsThatMustEnd).map(async ([name, attack]) => {
      const socket = await openWebSocket(target);
      if (socket === undefined) return [`${name}: the server refused the WebSocket`];
      socket.resume();
      await attack(socket);
      const isClosed = await closesWithin(socket, closeMs);
      socket.destroy();
      return isClosed ? [] : [`${name}: the connection stayed open`];
    }),
  );
  return sent.flat();
}

const part = Buffer.alloc(60_000, 0x31);

const connectionsThatMustEnd: Readonly<Record<string, (socket: Socket) => Promise<void>>> = {
  'no mask': (socket) => write(socket, frame(0x81, Buffer.from('1'), { isMasked: false })),
  'a length of 2 GB': (socket) => write(socket, frame(0x82, Buffer.alloc(0), { length: 0x7fffffff })),
  'a length of 2^63': (socket) =>
    write(socket, Buffer.from([0x82, 0xff, 0x7f, 255, 255, 255, 255, 255, 255, 255, 1, 2, 3, 4])),
  'fragments without end': async (socket) => {
    await write(socket, frame(0x01, part));
    for (let sent = 0; sent < 200 && !socket.destroyed; sent += 1) await write(socket, frame(0x00, part));
  },
  'text that is not UTF-8': (socket) => write(socket, frame(0x81, Buffer.from([0xc3, 0x28]))),
  // Deflate of many zeros, with the bit of a compressed message, although compression was not
  // negotiated.
  'a compression bomb': (socket) => write(socket, frame(0xc1, Buffer.from('ecc101000000800090feafee0800', 'hex'))),
  'a ping of 126 bytes': (socket) => write(socket, frame(0x89, Buffer.alloc(126))),
};
