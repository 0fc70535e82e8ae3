/** What executions at rest cost the process that ran them, and how soon a process that starts goes on with what another left. */
import { setTimeout as delay } from 'node:timers/promises';
import { type Cluster, startCluster } from './harness/cluster.ts';
import { type Run, runScript } from './harness/run-script.ts';
import type { SeededRandom } from './harness/seeded-random.ts';
import { type HeapReport, memoryPath } from './rests-memory.ts';

/** Of heap, for each execution at rest: what is left of a collection is not the same each time. */
const bytesBound = 100;
const noiseBytes = 600_000;
const coldStartBoundMs = 10_000;
/** The short form shares its machine with whatever else is checked. */
const busyColdStartBoundMs = 30_000;
const patienceMs = 120_000;
const atOnce = 32;

await runScript({
  name: 'rests',
  plants: { 'kept-rows': /has grown/ },
  run: async ({ options: { isShort, number }, plant, random }) => {
    const rests = await measureRests(number('rests', isShort ? 1_000 : 10_000), { plant, random });
    const problems: string[] = [];
    const allowed = noiseBytes + bytesBound * 2 * rests.suspended;
    if (rests.grownBytes > allowed) problems.push(`the heap has grown by ${rests.grownBytes} bytes`);
    if (rests.timersMore > 0) problems.push(`${rests.timersMore} timers were left`);
    if (plant !== undefined) return { figures: rests, problems };

    const start = await measureColdStart(number('runs', isShort ? 100 : 1_000), random);
    if (start.coldStartMs > (isShort ? busyColdStartBoundMs : coldStartBoundMs))
      problems.push(`the last run ended ${start.coldStartMs} ms after the start`);
    return { figures: { ...rests, ...start }, problems };
  },
});

async function measureRests(
  count: number,
  { plant, random }: Pick<Run, 'plant' | 'random'>,
): Promise<{ suspended: number; sleeping: number; heapMb: number; grownBytes: number; timersMore: number }> {
  const cluster = await startCluster({ random, plant, replicas: 1 });
  try {
    // What is made once is made before.
    await begin(cluster, 'waits', { count: 300, input: {} });
    await begin(cluster, 'sleeps', { count: 300, input: {} });
    await untilAtRest(cluster, 600);
    const before = await heapOf(cluster);
    await begin(cluster, 'waits', { count, input: {} });
    await begin(cluster, 'sleeps', { count, input: {} });
    await untilAtRest(cluster, 600 + 2 * count);
    const after = await heapOf(cluster);
    return {
      suspended: count,
      sleeping: count,
      heapMb: Math.round(after.heapBytes / 100_000) / 10,
      grownBytes: after.heapBytes - before.heapBytes,
      timersMore: after.timers - before.timers,
    };
  } finally {
    await cluster.close();
  }
}

/** Ends a replica in the middle of `count` runs, and starts it: with nobody else there, it has to wait for their leases too. */
async function measureColdStart(
  count: number,
  random: SeededRandom,
): Promise<{ runs: number; listensMs: number; coldStartMs: number }> {
  const cluster = await startCluster({ random, replicas: 1 });
  const [replica] = cluster.replicas;
  if (replica === undefined) throw new Error('there is no replica');
  try {
    const until = Date.now() + 3_600_000;
    await begin(cluster, 'holds', { count, input: { until } });
    await replica.signal('SIGKILL');
    // What they waited for is over now.
    await cluster.pool.query(`update halyard.executions set input = '{"until":0}' where workflow_id = 'holds'`);
    const began = performance.now();
    await replica.start();
    const listensMs = Math.round(performance.now() - began);
    await untilCount(cluster, `status = 'completed'`, count);
    return { runs: count, listensMs, coldStartMs: Math.round(performance.now() - began) };
  } finally {
    await cluster.close();
  }
}

async function begin(
  { client }: Cluster,
  workflow: string,
  { count, input }: { readonly count: number; readonly input: object },
): Promise<void> {
  let left = count;
  const starter = async (): Promise<void> => {
    for (; left > 0;) {
      left -= 1;
      await client.ask(`/workflows/${workflow}/execute`, { body: { input } });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, starter));
}

async function untilAtRest(cluster: Cluster, count: number): Promise<void> {
  await untilCount(
    cluster,
    `runner is null and (wants_runner_at is null or wants_runner_at > 60000 + extract(epoch from now()) * 1000)`,
    count,
  );
}

async function untilCount({ pool }: Cluster, condition: string, count: number): Promise<void> {
  const until = performance.now() + patienceMs;
  for (let found = -1; found !== count; await delay(20)) {
    const { rows } = await pool.query<{ count: number }>(
      `select count(*)::int as count from halyard.executions where ${condition}`,
    );
    found = rows[0]?.count ?? 0;
    if (performance.now() > until) throw new Error(`${found} of ${count} executions: ${condition}`);
  }
}

async function heapOf({ client }: Cluster): Promise<HeapReport> {
  // What is told late, and what is kept for a moment, is done.
  await delay(2_000);
  return (await client.ask(memoryPath)).data as HeapReport;
}
