import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { frame } from '../../../../../packages/server-fastify/src/testing/malformed-frames.ts';
import type { Attack } from '../harness/attack.ts';
import { Bystander, describeFare, judgeFare, stallBoundMs, worstOf } from './bystander.ts';
import { megabyte } from './measured-target.ts';
import { head, headerLines, openSocket, openWebSocket, refusalOfSockets, write } from './raw-socket.ts';
import { figure, openResourceTarget, type ResourceTarget } from './resource-target.ts';

/** The memory that one client that reads nothing may take. */
const boundMb = 1;
/** How long the streams fill the buffers while others are measured. */
const fillMs = 3_000;
/** More than the buffers of the kernel hold. */
const echoes = 20_000;
const body = '{"input":"go on"}';

/** Clients that ask for streams, echoes and pongs, and never read them. */
export const slowReaders: Attack = {
  name: 'slow-readers',
  summary: 'clients that ask for streams, echoes and pongs, and never read them',
  plants: { 'large-buffers': /each unread socket takes/ },
  run: async (run) => {
    const { bySize, plant } = run;
    // Another server has no model that never ends.
    const streams = run.server !== undefined ? 0 : bySize({ planted: 4, short: 40, long: 200 });
    const sockets = bySize({ planted: 4, short: 20, long: 80 });
    const target = await openResourceTarget(
      run,
      plant === undefined ? {} : { limits: { webSocketBufferBytes: 512 * megabyte } },
    );
    const opened: Socket[] = [];
    try {
      const missing = await refusalOfSockets(target);
      if (missing !== undefined) return { count: '0 sockets', findings: [], missing };
      // The first clients grow the process to its working size.
      opened.push(...openStreams(target, Math.min(10, streams)));
      opened.push(...(await flood(target, 2, { message: echoed, times: echoes })));
      const bystander = await Bystander.start(target);
      const first = await target.untilSteady();
      await bystander.forget();
      opened.push(...openStreams(target, streams));
      await delay(fillMs);
      const besideStreams = await bystander.measure();
      const second = await target.untilSteady();
      await bystander.forget();
      opened.push(...(await flood(target, sockets / 2, { message: echoed, times: echoes })));
      opened.push(...(await flood(target, sockets / 2, { message: ping, times: 100_000 })));
      const others = worstOf(besideStreams, await bystander.stop());
      const third = await target.untilSteady();
      const stallMs = Math.max(second.longestStallMs, third.longestStallMs);

      const perStream = megabytes(second.usedBytes - first.usedBytes) / streams;
      const perSocket = megabytes(third.usedBytes - second.usedBytes) / sockets;
      const findings = [...judgeFare(others, stallMs)];
      if (perStream > boundMb) findings.push(`each unread stream takes ${perStream.toFixed(2)} MB`);
      if (perSocket > boundMb) findings.push(`each unread socket takes ${perSocket.toFixed(2)} MB`);
      return {
        count: `${streams} streams, ${sockets} WebSockets`,
        measured: `${figure(perStream, 'MB', 2)} for a stream, ${figure(perSocket, 'MB', 2)} for a socket, ${describeFare(others, stallMs)}`,
        target: `< ${boundMb} MB each, stalls < ${stallBoundMs} ms`,
        findings,
      };
    } finally {
      for (const socket of opened) socket.destroy();
      await target.close();
    }
  },
};

const echoed = frame(0x81, Buffer.from(`"${'x'.repeat(1_000)}"`));
const ping = frame(0x89, Buffer.from('ping'));

function megabytes(bytes: number): number {
  return Math.max(0, bytes) / megabyte;
}

function openStreams(target: ResourceTarget, count: number): Socket[] {
  return Array.from({ length: count }, (_, index) => {
    const socket = openSocket(target);
    socket.pause();
    const lines = [
      'POST /agents/endless/stream HTTP/1.1',
      'host: x',
      ...headerLines(target.headersOf(`reader-${index % 5}`)),
    ];
    socket.write(head(...lines, 'content-type: application/json', `content-length: ${body.length}`) + body);
    return socket;
  });
}

interface Flood {
  readonly message: Buffer;
  readonly times: number;
}

/** Sends the same message many times on each socket, and reads none of the replies. */
async function flood(target: ResourceTarget, sockets: number, { message, times }: Flood): Promise<Socket[]> {
  const batch = Buffer.concat(Array.from({ length: 100 }, () => message));
  const opened = await Promise.all(
    Array.from({ length: sockets }, async () => {
      const socket = await openWebSocket(target);
      if (socket === undefined) {
        // Another server may have lower limits.
        if (!target.isOwn) return [];
        throw new Error('the server refused a WebSocket');
      }
      socket.pause();
      const flooded = (async (): Promise<void> => {
        for (let sent = 0; sent < times && !socket.destroyed; sent += 100) await write(socket, batch);
      })();
      // A server that does not read any more stops this.
      await Promise.race([flooded, delay(10_000)]);
      return [socket];
    }),
  );
  return opened.flat();
}
