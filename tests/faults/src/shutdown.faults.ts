/** SIGTERM under load, again and again: whether every request that was accepted is answered, and every run goes on elsewhere. */
import { setTimeout as delay } from 'node:timers/promises';
import { type Cluster, startCluster } from './harness/cluster.ts';
import { scriptOptions } from './harness/script-options.ts';
import { SeededRandom } from './harness/seeded-random.ts';
import { load, type Sent } from './shutdown-load.ts';
import { readRequests, requestsLogOf } from './shutdown-requests.ts';

const { isShort, number, seed } = scriptOptions();
const shutdowns = number('shutdowns', isShort ? 5 : 50);
const clients = 24;
const shutdownGraceMs = 2_000;
/** Last words of streams and calls, and connections that nobody answers on any more. */
const afterGraceMs = 3_000;

const random = new SeededRandom(seed);
const cluster = await startCluster({ random, replicas: 2, limits: { executeWaitMs: 20_000, shutdownGraceMs } });
const began = performance.now();
try {
  const sent: Sent[] = [];
  const accepted = new Set<string>();
  const exits: { readonly code: number | null; readonly ms: number }[] = [];
  for (let count = 0; count < shutdowns; count += 1) exits.push(await stopUnderLoad(sent, accepted));
  const unfinished = await countUnfinished(cluster, sent);
  const broken = sent.filter(({ fate }) => fate === 'dropped');
  const dropped = broken.filter(({ id }) => accepted.has(id));
  for (const { detail, what } of dropped.slice(0, 30)) process.stderr.write(`${what}: ${detail}\n`);

  const late = exits.filter(({ ms }) => ms > shutdownGraceMs + afterGraceMs).length;
  const failed = exits.filter(({ code }) => code !== 0).length;
  const isGood = dropped.length + late + failed + unfinished === 0;
  const figures = {
    shutdowns,
    requests: sent.length,
    answered: sent.filter(({ fate }) => fate === 'answered').length,
    sentAway: sent.filter(({ fate }) => fate === 'sent-away').length,
    dropped: dropped.length,
    // Their connection stood, and the server ended before it read them.
    neverRead: broken.length - dropped.length,
    exitsNotZero: failed,
    exitsLate: late,
    longestExitMs: Math.round(Math.max(...exits.map(({ ms }) => ms))),
    runsNotFinishedElsewhere: unfinished,
    seconds: Math.round((performance.now() - began) / 1_000),
  };
  process.stdout.write(`${JSON.stringify({ check: 'shutdown', isGood, seed, ...figures })}\n`);
  process.exitCode = isGood ? 0 : 1;
} finally {
  await cluster.close();
}

async function stopUnderLoad(
  sent: Sent[],
  accepted: Set<string>,
): Promise<{ readonly code: number | null; readonly ms: number }> {
  const [stopping] = cluster.replicas;
  if (stopping === undefined) throw new Error('there is no replica');
  const loading = Array.from({ length: clients }, () => load(stopping.origin, { sent, random: random.fork() }));
  await delay(random.between(300, 900));
  const toldAt = performance.now();
  const code = await stopping.signal('SIGTERM');
  const ms = performance.now() - toldAt;
  await Promise.all(loading);
  for (const id of readRequests(requestsLogOf(stopping.bodyLog))) accepted.add(id);
  await stopping.start();
  return { code, ms };
}

/** Of the runs that clients know of, those that have not come to a rest, though somebody was there to run them. */
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
