import { setTimeout as delay } from 'node:timers/promises';
import { defaultLimits, fixedLimits } from '../../../../../packages/server-fastify/src/admission/limits.ts';
import type { Attack } from '../harness/attack.ts';
import { Bystander, describeFare, judgeFare, stallBoundMs } from './bystander.ts';
import { megabyte } from './measured-target.ts';
import { head, headerLines, openSocket } from './raw-socket.ts';
import { figure, openResourceTarget, type ResourceTarget } from './resource-target.ts';

/** One caller may have 200 requests in progress. */
const usersWithBodies = 5;
/** How often the server looks for slow clients. */
const checkMs = 2_000;
/** More than the target, for the time that a busy machine takes. */
const graceMs = checkMs + 3_000;
const boundKb = 64;

/** Connections that send one line of their headers, or one byte of their body, each second. */
export const slowLoris: Attack = {
  name: 'slow-loris',
  summary: '500 connections that send their headers or bodies a byte at a time',
  plants: { 'patient-server': /was open for/ },
  run: async (run) => {
    const { bySize, plant } = run;
    const each = bySize({ planted: 20, short: 250, long: 1_000 });
    const target = await openResourceTarget(
      run,
      plant === undefined ? {} : { limits: { headersTimeoutMs: 290_000, requestTimeoutMs: 600_000 } },
    );
    try {
      const bystander = await Bystander.start(target);
      const before = await target.report();
      const patienceMs = defaultLimits.requestTimeoutMs + graceMs + 1_000;
      const headers = Array.from({ length: each }, () =>
        dribble(target, { begin: 'GET /agents HTTP/1.1\r\nhost: x\r\n', more: 'x-more: a\r\n', patienceMs }),
      );
      const bodies = Array.from({ length: each }, (_, index) =>
        dribble(target, { begin: bodyHead(target, `slow-${index % usersWithBodies}`), more: ' ', patienceMs }),
      );
      await delay(2_000);
      const during = await target.report();
      const slowestHeaders = Math.max(...(await Promise.all(headers)));
      const slowestBody = Math.max(...(await Promise.all(bodies)));
      const others = await bystander.stop();
      const stallMs = Math.max(during.longestStallMs, (await target.report()).longestStallMs);

      const kb = Math.round((during.usedBytes - before.usedBytes) / 1024 / (2 * each));
      const findings = [...judgeFare(others, stallMs)];
      if (slowestHeaders > fixedLimits.headersTimeoutMs + graceMs)
        findings.push(`a connection with slow headers was open for ${seconds(slowestHeaders)}`);
      if (slowestBody > defaultLimits.requestTimeoutMs + graceMs)
        findings.push(`a connection with a slow body was open for ${seconds(slowestBody)}`);
      if (kb > boundKb) findings.push(`each slow connection takes ${kb} KB`);
      return {
        count: `${2 * each} connections`,
        measured: `closed after ${seconds(slowestHeaders)} (headers) and ${seconds(slowestBody)} (bodies), ${figure(kb, 'KB')} each, ${describeFare(others, stallMs)}`,
        target: `closed within ${seconds(fixedLimits.headersTimeoutMs + checkMs)} and ${seconds(defaultLimits.requestTimeoutMs + checkMs)} (3 s later on a busy machine), < ${boundKb} KB each, stalls < ${stallBoundMs} ms`,
        findings,
      };
    } finally {
      await target.close();
    }
  },
};

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}

function bodyHead(target: ResourceTarget, user: string): string {
  return head(
    `POST /agents/${target.agent}/text HTTP/1.1`,
    'host: x',
    ...headerLines(target.headersOf(user)),
    'content-type: application/json',
    `content-length: ${megabyte}`,
  );
}

interface Dribble {
  readonly begin: string;
  readonly more: string;
  readonly patienceMs: number;
}

/**
 * Sends a little each second. @returns how long the connection was open, in milliseconds;
 * `Infinity` if it still is.
 */
async function dribble(target: ResourceTarget, { begin, more, patienceMs }: Dribble): Promise<number> {
  const socket = openSocket(target);
  socket.resume();
  const from = performance.now();
  const { promise, resolve } = Promise.withResolvers<number>();
  socket.once('close', () => resolve(performance.now() - from));
  socket.write(begin);
  const timer = setInterval(() => socket.write(more), 1_000);
  const giveUp = setTimeout(() => resolve(Infinity), patienceMs);
  const openMs = await promise;
  clearInterval(timer);
  clearTimeout(giveUp);
  socket.destroy();
  return openMs;
}
