import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Attack } from '../harness/attack.ts';
import { Bystander, describeFare, judgeFare, stallBoundMs } from './bystander.ts';
import { MeasuredTarget, megabyte } from './measured-target.ts';
import { closesWithin, head, openSocket, write } from './raw-socket.ts';

const boundMb = 8;

/** Many headers and cookies, requests that do not wait for replies, and bodies that break off. */
export const oddRequests: Attack = {
  name: 'odd-requests',
  summary: 'many headers and cookies, pipelined requests, bodies that break off',
  needsOwnTarget: true,
  plants: { 'kept-bodies': /the memory grew/ },
  run: async ({ boundMs, bySize, plant }) => {
    const pipelined = bySize({ planted: 100, short: 20_000, long: 200_000 });
    const brokenOff = bySize({ planted: 500, short: 2_000, long: 20_000 });
    const target = await MeasuredTarget.start(plant === 'kept-bodies' ? { plant } : {});
    try {
      await pipeline(target.port, 1_000);
      await breakBodiesOff(target.port, 100);
      const bystander = await Bystander.start(target.origin);
      const before = await target.report();
      const findings: string[] = [];

      const lines = Array.from({ length: 500 }, (_, index) => `x-${index}: ${'y'.repeat(100)}`);
      const cookies = `cookie: ${Array.from({ length: 5_000 }, (_, index) => `c${index}=1`).join('; ')}`;
      findings.push(...(await expectStatus(target.port, 'many headers', { lines, status: 431 })));
      findings.push(...(await expectStatus(target.port, 'a cookie of 50 KB', { lines: [cookies], status: 431 })));
      findings.push(
        ...(await expectStatus(target.port, 'headers of 12 KB', { lines: lines.slice(0, 100), status: 401 })),
      );
      const answered = await pipeline(target.port, pipelined);
      if (answered !== pipelined) findings.push(`${answered} of ${pipelined} pipelined requests were answered`);
      await pipelineUnread(target.port);
      await breakBodiesOff(target.port, brokenOff);

      const others = await bystander.stop();
      const after = await target.untilSockets(before.sockets);
      const stallMs = after.longestStallMs;
      const grownMb = Math.round((after.usedBytes - before.usedBytes) / megabyte);
      const left = after.sockets - before.sockets;
      findings.push(...judgeFare(others, stallMs, boundMs));
      if (grownMb > boundMb) findings.push(`the memory grew by ${grownMb} MB`);
      if (left > 0) findings.push(`${left} sockets stayed open`);
      return {
        count: `${pipelined} pipelined requests, ${brokenOff} broken bodies`,
        measured: `memory grew by ${grownMb} MB, ${describeFare(others, stallMs)}`,
        target: `< ${boundMb} MB, stalls < ${boundMs ?? stallBoundMs} ms`,
        findings,
      };
    } finally {
      await target.close();
    }
  },
};

interface Expected {
  readonly lines: readonly string[];
  readonly status: number;
}

async function expectStatus(port: number, what: string, { lines, status }: Expected): Promise<string[]> {
  const socket = openSocket(port);
  socket.write(head('GET /agents HTTP/1.1', 'host: x', ...lines));
  const chunk = await Promise.race([once(socket, 'data'), once(socket, 'close').then(() => undefined)]);
  socket.destroy();
  const reply = chunk === undefined ? 'no reply' : String((chunk as [Buffer])[0]).slice(0, 12);
  return reply === `HTTP/1.1 ${status}` ? [] : [`${what}: ${reply} instead of ${status}`];
}

/** Sends requests without waiting for replies. @returns how many were answered. */
async function pipeline(port: number, count: number): Promise<number> {
  const socket = openSocket(port);
  let answered = 0;
  let rest = '';
  socket.on('data', (chunk: Buffer) => {
    const parts = (rest + chunk.toString('latin1')).split('HTTP/1.1 200');
    answered += parts.length - 1;
    rest = (parts.at(-1) ?? '').slice(-12);
  });
  const one = head('GET /healthz HTTP/1.1', 'host: x');
  for (let sent = 0; sent < count; sent += 100) await write(socket, one.repeat(100));
  for (let waited = 0; waited < 100 && answered < count; waited += 1) await delay(50);
  socket.destroy();
  return answered;
}

/** Sends requests for two seconds and reads no reply: the server must stop reading them. */
async function pipelineUnread(port: number): Promise<void> {
  const socket = openSocket(port);
  socket.pause();
  const batch = head('GET /healthz HTTP/1.1', 'host: x').repeat(1_000);
  const until = performance.now() + 2_000;
  while (performance.now() < until && !socket.destroyed) await Promise.race([write(socket, batch), delay(500)]);
  socket.destroy();
}

async function breakBodiesOff(port: number, count: number): Promise<void> {
  let left = count;
  const client = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const socket = openSocket(port);
      const lines = ['POST /agents/assistant/text HTTP/1.1', 'host: x', 'authorization: Bearer breaks-off'];
      await write(socket, head(...lines, 'content-type: application/json', `content-length: ${megabyte}`));
      await write(socket, Buffer.alloc(64 * 1024, 0x20));
      // Not destroyed: a reset would discard what the server has not read.
      socket.end();
      await closesWithin(socket, 1_000);
      socket.destroy();
    }
  };
  await Promise.all(Array.from({ length: 20 }, client));
}
