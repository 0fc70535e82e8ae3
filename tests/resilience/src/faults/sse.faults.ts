/**
 * Clients that follow executions over SSE while a replica is killed: checks that each receives
 * every event once, and how soon.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type Cluster, startCluster } from './harness/cluster.ts';
import { type Outcome, runScript } from './harness/run-script.ts';
import type { SeededRandom } from './harness/seeded-random.ts';
import { now, SseFollower } from './sse-follower.ts';

const tickMs = 500;
/** Bound for the median latency from the runner to a client of another replica. */
const latencyBoundMs = 30;

interface Size {
  readonly clients: number;
  readonly executions: number;
  readonly ticks: number;
  readonly patienceMs: number;
}

await runScript({
  name: 'sse',
  plants: { 'local-events': /gaps/ },
  run: async ({ options: { isShort, number }, plant, random }) => {
    const ticks = number('ticks', isShort ? 10 : 30);
    const size = {
      clients: number('clients', isShort ? 40 : 200),
      executions: number('executions', isShort ? 20 : 50),
      ticks,
      patienceMs: ticks * tickMs + (plant === undefined ? 120_000 : 8_000),
    };
    const cluster = await startCluster({ random, plant });
    try {
      return await follow(cluster, size, random);
    } finally {
      await cluster.close();
    }
  },
});

async function follow(
  { client, replicas }: Cluster,
  { clients, executions, patienceMs, ticks }: Size,
  random: SeededRandom,
): Promise<Outcome> {
  const runs = Array.from({ length: executions }, (_, index) => ({ id: `followed-${index}`, runner: client.any() }));
  for (const { id, runner } of runs) {
    const body = { input: { ticks, ms: tickMs }, options: { executionId: id } };
    await client.ask('/workflows/ticker/execute', { body, replica: runner });
    // Start them at different times.
    await delay(random.between(0, 2 * (tickMs / executions)));
  }

  const followers = Array.from({ length: clients }, (_, index) => {
    const run = runs[index % executions] ?? { id: '', runner: client.any() };
    return { run, follower: new SseFollower(`/workflows/ticker/executions/${run.id}/stream`, client) };
  });
  const over = AbortSignal.timeout(patienceMs);
  const following = followers.map(({ follower }) => follower.follow(client.any(), over));
  await delay((ticks * tickMs) / 2);
  const victim = random.pick(replicas);
  const disconnected = followers.filter(({ follower }) => follower.replicas.at(-1) === victim.index);
  const killedAt = now();
  await victim.signal('SIGKILL');
  await Promise.all(following);

  const received = followers.flatMap(({ follower: { events }, run: { runner } }) =>
    events
      .filter(({ connectedAt, receivedAt, writtenAt }) => connectedAt < writtenAt && receivedAt < killedAt)
      .map(({ receivedAt, replica, writtenAt }) => ({ ms: receivedAt - writtenAt, isLocal: replica === runner.index })),
  );
  const across = received.filter(({ isLocal }) => !isLocal).map(({ ms }) => ms);
  const local = received.filter(({ isLocal }) => isLocal).map(({ ms }) => ms);
  const histories = runs.map(({ id }) =>
    followers.filter(({ run }) => run.id === id).map(({ follower }) => follower.events.map(({ text }) => text).join()),
  );
  const all = followers.map(({ follower }) => follower);
  const figures = {
    clients,
    executions,
    events: sum(all.map(({ events }) => events.length)),
    // Clients of the killed replica, and those of them that received the end from another one. The
    // others had it before.
    disconnected: disconnected.length,
    reconnected: disconnected.filter(({ follower }) => follower.isEnded && follower.replicas.at(-1) !== victim.index)
      .length,
    unfinished: all.filter(({ isEnded }) => !isEnded).length,
    gaps: sum(all.map(({ gaps }) => gaps)),
    duplicates: sum(all.map(({ duplicates }) => duplicates)),
    // Executions whose clients did not all receive the same events.
    unequal: histories.filter((texts) => new Set(texts).size > 1).length,
    acrossP50Ms: percentile(across, 0.5),
    acrossP99Ms: percentile(across, 0.99),
    localP50Ms: percentile(local, 0.5),
  };
  return { figures, problems: problemsOf(figures), timing: timingOf(figures) };
}

interface Counts {
  readonly acrossP50Ms: number;
  readonly reconnected: number;
  readonly unfinished: number;
  readonly gaps: number;
  readonly duplicates: number;
  readonly unequal: number;
}

function problemsOf(figures: Counts): readonly string[] {
  return (['gaps', 'duplicates', 'unequal', 'unfinished'] as const)
    .filter((name) => figures[name] > 0)
    .map((name) => `${figures[name]} ${name}`);
}

function timingOf({ acrossP50Ms, reconnected }: Counts): readonly string[] {
  const timing = reconnected === 0 ? ['no client received the end from another replica'] : [];
  if (acrossP50Ms >= latencyBoundMs) timing.push(`the median latency across replicas was ${acrossP50Ms} ms`);
  return timing;
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return Math.round((sorted[Math.floor(sorted.length * part)] ?? NaN) * 10) / 10;
}
