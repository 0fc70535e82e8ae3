/**
 * Checks how much memory idle executions use in the process that ran them, and how soon a new
 * process continues the executions of a killed one.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type Cluster, startCluster } from './harness/cluster.ts';
import { type Run, runScript } from './harness/run-script.ts';
import type { SeededRandom } from './harness/seeded-random.ts';
import { type HeapReport, memoryPath } from './idle-memory.ts';

/**
 * Allowed heap growth for each idle execution. The result of a garbage collection varies by
 * `noiseBytes`.
 */
const bytesBound = 100;
const noiseBytes = 600_000;
const coldStartBoundMs = 10_000;
const patienceMs = 120_000;
const atOnce = 32;

await runScript({
  name: 'idle',
  plants: { 'retained-rows': /has grown/ },
  run: async ({ options: { isShort, number }, plant, random }) => {
    const idle = await measureIdle(number('idle', isShort ? 1_000 : 10_000), { plant, random });
    const problems: string[] = [];
    const allowed = noiseBytes + bytesBound * 2 * idle.suspended;
    if (idle.grownBytes > allowed) problems.push(`the heap has grown by ${idle.grownBytes} bytes`);
    if (idle.leakedTimers > 0) problems.push(`${idle.leakedTimers} timers were left`);
    if (plant !== undefined) return { figures: idle, problems };

    const start = await measureColdStart(number('runs', isShort ? 100 : 1_000), random);
    const timing =
      start.coldStartMs > coldStartBoundMs ? [`the last run ended ${start.coldStartMs} ms after the start`] : [];
    return { figures: { ...idle, ...start }, problems, timing };
  },
});

async function measureIdle(
  count: number,
  { plant, random }: Pick<Run, 'plant' | 'random'>,
): Promise<{ suspended: number; sleeping: number; heapMb: number; grownBytes: number; leakedTimers: number }> {
  const cluster = await startCluster({ random, plant, replicas: 1 });
  try {
    // Warm up: one-time allocations happen before the measurement.
    await begin(cluster, 'waits', { count: 300, input: {} });
    await begin(cluster, 'sleeps', { count: 300, input: {} });
    await waitUntilIdle(cluster, 600);
    const before = await heapOf(cluster);
    await begin(cluster, 'waits', { count, input: {} });
    await begin(cluster, 'sleeps', { count, input: {} });
    await waitUntilIdle(cluster, 600 + 2 * count);
    const after = await heapOf(cluster);
    return {
      suspended: count,
      sleeping: count,
      heapMb: Math.round(after.heapBytes / 100_000) / 10,
      grownBytes: after.heapBytes - before.heapBytes,
      leakedTimers: after.timers - before.timers,
    };
  } finally {
    await cluster.close();
  }
}

/**
 * Kills the only replica in the middle of `count` runs and restarts it. It also has to wait for the
 * leases of the killed process.
 */
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
    // The steps end at once when they run again.
    await cluster.pool.query(`update halyard.executions set input = '{"until":0}' where workflow_id = 'holds'`);
    const began = performance.now();
    await replica.start();
    const listensMs = Math.round(performance.now() - began);
    await waitForCount(cluster, `status = 'completed'`, count);
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

async function waitUntilIdle(cluster: Cluster, count: number): Promise<void> {
  await waitForCount(
    cluster,
    `runner is null and (wants_runner_at is null or wants_runner_at > 60000 + extract(epoch from now()) * 1000)`,
    count,
  );
}

async function waitForCount({ pool }: Cluster, condition: string, count: number): Promise<void> {
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
  // Let pending work finish, such as delayed notifications.
  await delay(2_000);
  return (await client.ask(memoryPath)).data as HeapReport;
}
