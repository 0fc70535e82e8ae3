import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Attack } from '../harness/attack.ts';
import { Bystander } from '../resources/bystander.ts';
import { figure, openResourceTarget, type ResourceTarget } from '../resources/resource-target.ts';

const connections = 50;
const p99BoundMs = 50;
/** The process that `test:load` uses. */
const clients = fileURLToPath(new URL('../../load/hostile-clients.ts', import.meta.url));

/**
 * Schemas and patterns that are expensive to compile or to check, while another caller uses the
 * server.
 */
export const bombs: Attack = {
  name: 'bombs',
  summary: 'schema and regex bombs against /agents/:id/object on 50 connections, with the p99 of another caller',
  plants: { 'slow-schemas': /p99 of others|requests of others failed/ },
  run: async (run) => {
    const { boundMs = p99BoundMs, bySize, plant } = run;
    const attackMs = bySize({ planted: 5_000, short: 10_000, long: 120_000 });
    const target = await openResourceTarget(run, plant === 'slow-schemas' ? { plant } : {});
    try {
      const bystander = await Bystander.start(target);
      // From here on, stalls are those of the attack.
      await target.report();
      const statuses = await sendBombs(target, attackMs, () => bystander.forget());
      const others = await bystander.stop();
      const stallMs = target.isAlive ? (await target.report()).longestStallMs : 0;

      const findings: string[] = [];
      if (others.failures > 0) findings.push(`${others.failures} requests of others failed`);
      if (others.p99Ms >= boundMs) findings.push(`the p99 of others was ${others.p99Ms} ms`);
      for (const [status, count] of Object.entries(statuses))
        if (!expected.has(status)) findings.push(`${count} replies were ${status}`);
      if (!target.isAlive) findings.push('the process ended');
      const sent = Object.values(statuses).reduce((sum, count) => sum + count, 0);
      return {
        count: `${sent} schemas on ${connections} connections in ${attackMs / 1_000} s`,
        measured: `p99 of others ${others.p99Ms} ms (before: ${others.quietMs} ms), longest stall of its CPU ${figure(stallMs, 'ms')}, replies ${JSON.stringify(statuses)}`,
        target: `p99 of others < ${boundMs} ms`,
        findings,
      };
    } finally {
      await target.close();
    }
  },
};

/** 500: the answer of the model does not fit the schema. 429 and 503: too many schemas wait. */
const expected: ReadonlySet<string> = new Set(['200', '400', '429', '500', '503']);

/**
 * `onStart` is called once the process of the attackers has started, which alone takes a second of
 * CPU.
 *
 * @returns how many replies had each status.
 */
async function sendBombs(
  target: ResourceTarget,
  attackMs: number,
  onStart: () => Promise<void>,
): Promise<Readonly<Record<string, number>>> {
  const attackers = fork(
    clients,
    [
      target.origin,
      String(connections),
      '1',
      ...(target.isOwn ? [] : [target.agent, JSON.stringify(target.headersOf('attacker'))]),
    ],
    { execArgv: ['--conditions=@halyard/source'] },
  );
  try {
    await once(attackers, 'message');
    await onStart();
    await delay(attackMs);
    attackers.send('stop');
    const answered = once(attackers, 'message') as Promise<[Record<string, number>]>;
    const [statuses] = await Promise.race([answered, once(attackers, 'exit').then(() => [{ 'no reply': 1 }] as const)]);
    return statuses;
  } finally {
    attackers.kill('SIGKILL');
  }
}
