/** Three replicas. Every one to three seconds one of them is killed and restarted. */
import { setTimeout as delay } from 'node:timers/promises';
import { bodiesInFlight } from './harness/bodies-in-flight.ts';
import type { Cluster } from './harness/cluster.ts';
import type { Replica } from './harness/replica-process.ts';
import { type Disturbance, runDisturbed } from './harness/run-disturbed.ts';
import { runScript } from './harness/run-script.ts';
import type { SeededRandom } from './harness/seeded-random.ts';

/** Others notice a lost session within a second, wait half a second for it, and claim. */
const takeoverMs = 2_000;

await runScript({
  name: 'kills',
  plants: {
    'forgotten-journal': /in the journal \d+ times|ran again/,
    'local-events': /events, its client received/,
    'no-takeover': /is lost: it had not ended/,
  },
  run: async ({ options: { isShort, number }, plant, random }) => {
    const starts: Promise<void>[] = [];
    const isSmall = plant !== undefined;
    return runDisturbed({
      random,
      plant,
      leaseMs: number('leaseMs', 3_000),
      takeoverMs,
      disturb: (cluster, own) => kill(cluster, own, starts),
      disturbances: isSmall ? 3 : number('kills', isShort ? 10 : 200),
      waitMs: isShort ? [500, 1_500] : [1_000, 3_000],
      calm: async () => void (await Promise.all(starts)),
      executions: isSmall ? 40 : number('executions', isShort ? 300 : 5_000),
      concurrency: number('concurrency', isShort ? 20 : 60),
      bodyMs: isShort ? 300 : 150,
      patienceMs: isSmall ? 12_000 : 300_000,
    });
  },
});

/** Kills a replica while at least one other is available, and restarts it at once. */
async function kill(cluster: Cluster, random: SeededRandom, starts: Promise<void>[]): Promise<Disturbance> {
  while (listening(cluster).length < 2) await delay(50);
  const victim = random.pick(listening(cluster));
  const { bodyLog, name } = victim;
  await victim.signal('SIGKILL');
  const at = Date.now();
  const inFlight = await bodiesInFlight(cluster.pool, bodyLog);
  starts.push(victim.start());
  return { at, replica: name, bodies: new Set(inFlight.keys()), executions: new Set(inFlight.values()) };
}

function listening({ replicas }: Cluster): readonly Replica[] {
  return replicas.filter(({ isListening }) => isListening);
}
