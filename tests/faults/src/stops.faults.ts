/** Three replicas, of which one stands still for longer than its lease, and then goes on as if nothing had been. */
import { setTimeout as delay } from 'node:timers/promises';
import { bodiesInFlight } from './harness/bodies-in-flight.ts';
import { readBodies } from './harness/body-log.ts';
import type { Cluster } from './harness/cluster.ts';
import type { Replica } from './harness/replica-process.ts';
import { type Disturbance, runDisturbed } from './harness/run-disturbed.ts';
import { runScript } from './harness/run-script.ts';
import type { SeededRandom } from './harness/seeded-random.ts';

/** How long bodies take. */
const usualMs = 1_000;
/** So long that who has taken over is still at it when the one that stood still goes on: two that have the same step in hand are what a fence is for. */
const longMs = 2_500;

await runScript({
  name: 'stops',
  plants: { 'no-fence': /in the journal \d+ times|was told \d+ times/ },
  run: async ({ options: { isShort, number }, plant, random }) => {
    const isSmall = plant !== undefined;
    const bodyMs = isSmall ? longMs : usualMs;
    const outcome = await runDisturbed({
      random,
      plant,
      disturb: (cluster, own) => stop(cluster, own, bodyMs),
      disturbances: isSmall ? 2 : number('stops', isShort ? 3 : 50),
      waitMs: isShort ? [300, 800] : [1_000, 3_000],
      executions: isSmall ? 20 : number('executions', isShort ? 60 : 2_000),
      concurrency: number('concurrency', isShort ? 20 : 60),
      bodyMs,
      patienceMs: isSmall ? 30_000 : 90_000,
    });
    // Nothing to refuse would show nothing.
    const idle = outcome.figures['commitsRefused'] === 0 ? ['no commit of a process that went on was refused'] : [];
    return { ...outcome, problems: plant === undefined ? [...outcome.problems, ...idle] : outcome.problems };
  },
});

/** One that has several bodies in hand: to stop another shows little. */
async function busyReplica({ replicas }: Cluster, random: SeededRandom, bodyMs: number): Promise<Replica> {
  for (;;) {
    const busy = replicas.filter(({ bodyLog }) => openBodies(bodyLog, bodyMs) >= 3);
    if (busy.length > 0) return random.pick(busy);
    await delay(100);
  }
}

/** Losers of races do not say that they end. */
function openBodies(bodyLog: string, bodyMs: number): number {
  const lines = readBodies(bodyLog).filter(({ at }) => at > Date.now() - bodyMs);
  return lines.reduce((open, { kind }) => open + (kind === 'start' ? 1 : kind === 'end' ? -1 : 0), 0);
}

/** Stops a replica until somebody else must have what it ran, and a little longer, at random. */
async function stop(cluster: Cluster, random: SeededRandom, bodyMs: number): Promise<Disturbance> {
  const victim = await busyReplica(cluster, random, bodyMs);
  await victim.signal('SIGSTOP');
  const at = Date.now();
  const inFlight = await bodiesInFlight(cluster.pool, victim.bodyLog);
  await delay(cluster.leaseMs * 1.4 + random.between(0, cluster.leaseMs / 2));
  const wentOnAt = Date.now();
  await victim.signal('SIGCONT');
  const executions = new Set(inFlight.values());
  return { at, wentOnAt, replica: victim.name, bodies: new Set(inFlight.keys()), executions };
}
