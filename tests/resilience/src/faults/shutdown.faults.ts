/**
 * SIGTERM under load, repeatedly: checks that every accepted request is answered and every run
 * continues on another replica.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type Cluster, startCluster } from './harness/cluster.ts';
import { type Outcome, runScript } from './harness/run-script.ts';
import type { SeededRandom } from './harness/seeded-random.ts';
import { load, type Sent } from './shutdown-load.ts';
import { readRequests, requestsLogOf } from './shutdown-requests.ts';

const clients = 24;
const shutdownGraceMs = 2_000;
/** Time after the grace period to end streams and calls and to close connections. */
const afterGraceMs = 3_000;
const shownDrops = 3;

await runScript({
  name: 'shutdown',
  plants: { 'abrupt-stop': /dropped/ },
  run: async ({ options: { isShort, number }, plant, random }) => {
    const shutdowns = plant === undefined ? number('shutdowns', isShort ? 5 : 50) : 1;
    const limits = { executeWaitMs: 20_000, shutdownGraceMs };
    const cluster = await startCluster({ random, plant, replicas: 2, limits });
    try {
      return await stopAgainAndAgain(cluster, shutdowns, random);
    } finally {
      await cluster.close();
    }
  },
});

async function stopAgainAndAgain(cluster: Cluster, shutdowns: number, random: SeededRandom): Promise<Outcome> {
  const sent: Sent[] = [];
  const accepted = new Set<string>();
  const exits: Exit[] = [];
  for (let count = 0; count < shutdowns; count += 1) {
    exits.push(await stopUnderLoad(cluster, { sent, accepted, random }));
  }
  const unfinished = await countUnfinished(cluster, sent);
  const broken = sent.filter(({ fate }) => fate === 'dropped');
  const dropped = broken.filter(({ id }) => accepted.has(id));
  const late = exits.filter(({ cpuWaitMs, ms }) => ms - cpuWaitMs > shutdownGraceMs + afterGraceMs);
  const failed = exits.filter(({ code }) => code !== 0);

  const problems = dropped.slice(0, shownDrops).map(({ detail, what }) => `${what}: ${detail}`);
  if (dropped.length > 0) problems.push(`${dropped.length} requests were dropped`);
  if (failed.length > 0) problems.push(`${failed.length} exits were not 0`);
  if (unfinished > 0) problems.push(`${unfinished} runs did not continue`);
  const figures = {
    shutdowns,
    requests: sent.length,
    answered: sent.filter(({ fate }) => fate === 'answered').length,
    turnedAway: sent.filter(({ fate }) => fate === 'turned-away').length,
    dropped: dropped.length,
    // The server ended before it read these requests. Nothing was done, so clients can send them
    // again.
    neverRead: broken.length - dropped.length,
    longestExitMs: Math.round(Math.max(...exits.map(({ ms }) => ms))),
    runsElsewhere: new Set(sent.flatMap(({ executionId }) => executionId ?? [])).size,
  };
  return { figures, problems, timing: late.length > 0 ? [`${late.length} exits were late`] : [] };
}

interface Exit {
  readonly code: number | null;
  readonly ms: number;
  readonly cpuWaitMs: number;
}

async function stopUnderLoad(
  { cpuWaits, replicas: [stopping] }: Cluster,
  { accepted, random, sent }: { readonly accepted: Set<string>; readonly random: SeededRandom; readonly sent: Sent[] },
): Promise<Exit> {
  if (stopping === undefined) throw new Error('there is no replica');
  const loading = Array.from({ length: clients }, () => load(stopping.origin, { sent, random: random.fork() }));
  await delay(random.between(300, 900));
  const signalledAt = performance.now();
  const code = await stopping.signal('SIGTERM');
  const exitedAt = performance.now();
  await Promise.all(loading);
  for (const id of readRequests(requestsLogOf(stopping.bodyLog))) accepted.add(id);
  await stopping.start();
  const cpuWaitMs = cpuWaits.during(signalledAt, exitedAt);
  return { code, ms: exitedAt - signalledAt, cpuWaitMs };
}

/** The number of runs known to clients that are not idle, although another replica was running. */
async function countUnfinished({ leaseMs, pool }: Cluster, sent: readonly Sent[]): Promise<number> {
  const ids = [...new Set(sent.flatMap(({ executionId }) => executionId ?? []))];
  const until = performance.now() + leaseMs + 20_000;
  for (;;) {
    const { rows } = await pool.query<{ id: string }>(
      `select id from halyard.executions where id = any($1::text[]) and status in ('completed', 'suspended')`,
      [ids],
    );
    const left = ids.length - rows.length;
    if (left === 0 || performance.now() > until) return left;
    await delay(200);
  }
}
