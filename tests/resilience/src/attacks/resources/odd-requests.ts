import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Attack } from '../harness/attack.ts';
import { Bystander, describeFare, judgeFare, stallBoundMs } from './bystander.ts';
import { megabyte } from './measured-target.ts';
import { closesWithin, head, headerLines, openSocket, write } from './raw-socket.ts';
import { figure, openResourceTarget, type ResourceTarget } from './resource-target.ts';

const boundMb = 8;

/** Many headers and cookies, requests that do not wait for replies, and bodies that break off. */
export const oddRequests: Attack = {
  name: 'odd-requests',
  summary: 'many headers and cookies, pipelined requests, bodies that break off',
  plants: { 'kept-bodies': /the memory grew/ },
  run: async (run) => {
    const { boundMs, bySize, plant } = run;
    const pipelined = bySize({ planted: 100, short: 20_000, long: 200_000 });
    const brokenOff = bySize({ planted: 500, short: 2_000, long: 20_000 });
    const target = await openResourceTarget(run, plant === 'kept-bodies' ? { plant } : {});
    try {
      await pipeline(target, 1_000);
      await breakBodiesOff(target, 100);
      const bystander = await Bystander.start(target);
      const before = await target.report();
      await bystander.forget();
      const findings: string[] = [];

      const lines = Array.from({ length: 500 }, (_, index) => `x-${index}: ${'y'.repeat(100)}`);
      const cookies = `cookie: ${Array.from({ length: 5_000 }, (_, index) => `c${index}=1`).join('; ')}`;
      findings.push(...(await expectStatus(target, 'many headers', { lines, status: 431 })));
      findings.push(...(await expectStatus(target, 'a cookie of 50 KB', { lines: [cookies], status: 431 })));
      findings.push(...(await expectStatus(target, 'headers of 12 KB', { lines: lines.slice(0, 100), status: 200 })));
      const answered = await pipeline(target, pipelined);
      if (answered === 0) findings.push('no pipelined request was answered');
      await pipelineUnread(target);
      await breakBodiesOff(target, brokenOff);

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
        measured: `memory growth ${figure(grownMb, 'MB')}, ${describeFare(others, stallMs)}`,
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

async function expectStatus(target: ResourceTarget, what: string, { lines, status }: Expected): Promise<string[]> {
  const socket = openSocket(target);
  socket.write(head('GET /healthz HTTP/1.1', 'host: x', ...lines));
  const chunk = await Promise.race([once(socket, 'data'), once(socket, 'close').then(() => undefined)]);
  socket.destroy();
  const reply = chunk === undefined ? 'no reply' : String((chunk as [Buffer])[0]).slice(0, 12);
  return reply === `HTTP/1.1 ${status}` ? [] : [`${what}: ${reply} instead of ${status}`];
}

/**
 * Sends requests without waiting for replies, until the server closes the connection. @returns how
 * many were answered.
 */
async function pipeline(target: ResourceTarget, count: number): Promise<number> {
  const socket = openSocket(target);
  let answered = 0;
  let rest = '';
  socket.on('data', (chunk: Buffer) => {
    const parts = (rest + chunk.toString('latin1')).split('HTTP/1.1 200');
    answered += parts.length - 1;
    rest = (parts.at(-1) ?? '').slice(-12);
  });
  const one = head('GET /healthz HTTP/1.1', 'host: x');
  for (let sent = 0; sent < count; sent += 100) await write(socket, one.repeat(100));
  await closesWithin(socket, 5_000);
  socket.destroy();
  return answered;
}

/** Sends requests for two seconds and reads no reply: the server must stop reading them. */
async function pipelineUnread(target: ResourceTarget): Promise<void> {
  const socket = openSocket(target);
  socket.pause();
  const batch = head('GET /healthz HTTP/1.1', 'host: x').repeat(1_000);
  const until = performance.now() + 2_000;
  while (performance.now() < until && !socket.destroyed) await Promise.race([write(socket, batch), delay(500)]);
  socket.destroy();
}

async function breakBodiesOff(target: ResourceTarget, count: number): Promise<void> {
  let left = count;
  const client = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const socket = openSocket(target);
      const credentials = headerLines(target.headersOf('breaks-off'));
      const lines = [`POST /agents/${target.agent}/text HTTP/1.1`, 'host: x', ...credentials];
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
