/** Clients that follow executions over SSE while a replica is killed: whether each hears everything once, and how soon. */
import { setTimeout as delay } from 'node:timers/promises';
import { startCluster } from './harness/cluster.ts';
import { scriptOptions } from './harness/script-options.ts';
import { SeededRandom } from './harness/seeded-random.ts';
import type { PlantName } from './plants.ts';
import { now, SseFollower } from './sse-follower.ts';

const { isShort, number, plant, seed } = scriptOptions();
const clients = number('clients', isShort ? 40 : 200);
const executions = number('executions', isShort ? 20 : 50);
const ticks = number('ticks', isShort ? 16 : 60);
const tickMs = 250;
const patienceMs = 60_000;
const latencyBoundMs = 30;

const clean = await follow(plant as PlantName | undefined);
// The counting is worth what it finds.
const planted = plant === undefined ? await follow('local-events') : clean;
const isGood = !isFaulty(clean) && clean.acrossP50Ms < latencyBoundMs && isFaulty(planted);
const foundOfPlant = planted.gaps + planted.unfinished;
process.stdout.write(`${JSON.stringify({ check: 'sse', isGood, seed, ...clean, foundOfPlant })}\n`);
process.exitCode = isGood ? 0 : 1;

interface Followed {
  readonly clients: number;
  readonly executions: number;
  /** That all clients heard together. */
  readonly events: number;
  /** Clients whose replica was killed, and those among them that heard the end from others. */
  readonly cutOff: number;
  readonly reconnected: number;
  readonly unfinished: number;
  readonly gaps: number;
  readonly duplicates: number;
  /** Executions whose clients did not all hear the same. */
  readonly unequal: number;
  /** From the clock of the runner to a client of another replica; of one of the same. */
  readonly acrossP50Ms: number;
  readonly acrossP99Ms: number;
  readonly localP50Ms: number;
}

function isFaulty({ cutOff, duplicates, gaps, reconnected, unequal, unfinished }: Followed): boolean {
  return cutOff === 0 || reconnected < cutOff || duplicates + gaps + unequal + unfinished > 0;
}

async function follow(bug: PlantName | undefined): Promise<Followed> {
  const random = new SeededRandom(seed);
  const cluster = await startCluster({ random, plant: bug });
  const { client, replicas } = cluster;
  try {
    const runs = Array.from({ length: executions }, (_, index) => ({ id: `followed-${index}`, runner: client.any() }));
    for (const { id, runner } of runs) {
      const body = { input: { ticks, ms: tickMs }, options: { executionId: id } };
      await client.ask('/workflows/ticker/execute', { body, replica: runner });
      // Not all of them in step.
      await delay(random.between(0, 2 * (tickMs / executions)));
    }

    const followers = Array.from({ length: clients }, (_, index) => {
      const run = runs[index % executions] ?? { id: '', runner: client.any() };
      return { run, follower: new SseFollower(`/workflows/ticker/executions/${run.id}/stream`, client) };
    });
    const over = AbortSignal.timeout(bug === undefined ? patienceMs : ticks * tickMs + 8_000);
    const following = followers.map(({ follower }) => follower.follow(client.any(), over));
    await delay((ticks * tickMs) / 2);
    const victim = random.pick(replicas);
    const cutOff = followers.filter(({ follower }) => follower.replicas.at(-1) === victim.index);
    const killedAt = now();
    await victim.signal('SIGKILL');
    await Promise.all(following);

    const heard = followers.flatMap(({ follower: { events }, run: { runner } }) =>
      events
        .filter(({ connectedAt, heardAt, writtenAt }) => connectedAt < writtenAt && heardAt < killedAt)
        .map(({ heardAt, replica, writtenAt }) => ({ ms: heardAt - writtenAt, isLocal: replica === runner.index })),
    );
    const across = heard.filter(({ isLocal }) => !isLocal).map(({ ms }) => ms);
    const local = heard.filter(({ isLocal }) => isLocal).map(({ ms }) => ms);
    const histories = runs.map(({ id }) =>
      followers
        .filter(({ run }) => run.id === id)
        .map(({ follower }) => follower.events.map(({ text }) => text).join()),
    );
    const all = followers.map(({ follower }) => follower);
    return {
      clients,
      executions,
      events: sum(all.map(({ events }) => events.length)),
      cutOff: cutOff.length,
      reconnected: cutOff.filter(({ follower }) => follower.isEnded && follower.replicas.at(-1) !== victim.index)
        .length,
      unfinished: all.filter(({ isEnded }) => !isEnded).length,
      gaps: sum(all.map(({ gaps }) => gaps)),
      duplicates: sum(all.map(({ duplicates }) => duplicates)),
      unequal: histories.filter((texts) => new Set(texts).size > 1).length,
      acrossP50Ms: percentile(across, 0.5),
      acrossP99Ms: percentile(across, 0.99),
      localP50Ms: percentile(local, 0.5),
    };
  } finally {
    await cluster.close();
  }
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return Math.round((sorted[Math.floor(sorted.length * part)] ?? NaN) * 10) / 10;
}
