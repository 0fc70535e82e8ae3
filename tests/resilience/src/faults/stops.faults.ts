/**
 * Three replicas, one of which is paused (SIGSTOP) for longer than its lease and then continues.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { bodiesInFlight } from './harness/bodies-in-flight.ts';
import { readBodies } from './harness/body-log.ts';
import type { Cluster } from './harness/cluster.ts';
import type { Replica } from './harness/replica-process.ts';
import { type Disturbance, runDisturbed } from './harness/run-disturbed.ts';
import { runScript } from './harness/run-script.ts';
import type { SeededRandom } from './harness/seeded-random.ts';

/** Duration of step bodies. */
const usualMs = 1_000;
/**
 * So long that the new runner is still in the same step when the paused one continues, which is
 * what fencing is for.
 */
const longMs = 2_500;

await runScript({
  name: 'stops',
  plants: { 'no-fence': /in the journal \d+ times|was emitted \d+ times/ },
  run: async ({ options: { isShort, number }, plant, random }) => {
    const isSmall = plant !== undefined;
    const bodyMs = isSmall ? longMs : usualMs;
    const outcome = await runDisturbed({
      random,
      plant,
      disturb: (cluster, own) => stop(cluster, own, bodyMs),
      disturbances: isSmall ? 5 : number('stops', isShort ? 3 : 50),
      waitMs: isShort ? [300, 800] : [1_000, 3_000],
      executions: isSmall ? 20 : number('executions', isShort ? 60 : 2_000),
      concurrency: number('concurrency', isShort ? 20 : 60),
      bodyMs,
      patienceMs: isSmall ? 30_000 : 300_000,
    });
    // Without a refused commit, the run does not prove anything.
    const unproven = outcome.figures['commitsRefused'] === 0 ? ['no commit of a paused process was refused'] : [];
    return plant === undefined ? { ...outcome, timing: [...(outcome.timing ?? []), ...unproven] } : outcome;
  },
});

/** A replica that runs several step bodies, so that pausing it has an effect. */
async function busyReplica({ replicas }: Cluster, random: SeededRandom, bodyMs: number): Promise<Replica> {
  for (;;) {
    const busy = replicas.filter(({ bodyLog }) => openBodies(bodyLog, bodyMs) >= 3);
    if (busy.length > 0) return random.pick(busy);
    await delay(100);
  }
}

/** Counts recent starts only, because the losing branches of a race do not log their end. */
function openBodies(bodyLog: string, bodyMs: number): number {
  const lines = readBodies(bodyLog).filter(({ at }) => at > Date.now() - bodyMs);
  return lines.reduce((open, { kind }) => open + (kind === 'start' ? 1 : kind === 'end' ? -1 : 0), 0);
}

/**
 * Pauses a replica until others must have taken over its executions, and for a random time longer.
 */
async function stop(cluster: Cluster, random: SeededRandom, bodyMs: number): Promise<Disturbance> {
  const victim = await busyReplica(cluster, random, bodyMs);
  await victim.signal('SIGSTOP');
  const at = Date.now();
  const inFlight = await bodiesInFlight(cluster.pool, victim.bodyLog);
  await delay(cluster.leaseMs * 1.4 + random.between(0, cluster.leaseMs / 2));
  const continuedAt = Date.now();
  await victim.signal('SIGCONT');
  const executions = new Set(inFlight.values());
  return { at, continuedAt, replica: victim.name, bodies: new Set(inFlight.keys()), executions };
}
