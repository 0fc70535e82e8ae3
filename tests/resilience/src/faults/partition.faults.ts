/**
 * Three replicas. The connections of one to the database become silent while it runs executions,
 * and work again later.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type BodyLine, readAllBodies, readBodies } from './harness/body-log.ts';
import { checkTruth } from './harness/check-truth.ts';
import { type Cluster, startCluster } from './harness/cluster.ts';
import type { CpuWaits } from './harness/cpu-waits.ts';
import { drive } from './harness/drive.ts';
import { HttpClient } from './harness/http-client.ts';
import type { Replica } from './harness/replica-process.ts';
import { type Outcome, runScript } from './harness/run-script.ts';
import type { SeededRandom } from './harness/seeded-random.ts';
import { SilentProxy } from './harness/silent-proxy.ts';
import { checkThroughput } from './harness/throughput.ts';
import { waitUntil } from './harness/wait-until.ts';

const leaseMs = 3_000;
/**
 * So long that a step still runs when its process must stop it, and in its successor when the
 * network heals.
 */
const bodyMs = leaseMs * 2.5;
interface Bounds {
  /** How late a process may stop a step. */
  readonly graceMs: number;
  /** The time within which others run what a lost process ran. */
  readonly takeoverMs: number;
  /** The longest time in which no other execution completes. */
  readonly pauseMs: number;
}

/**
 * Each is extended by the time in which the processes waited for a CPU; the grace only by the waits
 * of the replica that is cut off.
 */
const { graceMs, pauseMs, takeoverMs }: Bounds = {
  graceMs: 250,
  takeoverMs: leaseMs + leaseMs / 3 + 1_000,
  pauseMs: 2_000,
};
/** After a silence, statements that have already arrived are finished. */
const settleMs = 200;
const patienceMs = 120_000;

/** One partition, as the checks need it. Times are those of the machine's clock. */
interface Partition {
  readonly replica: string;
  readonly pid: number;
  readonly silentAt: number;
  readonly healedAt: number;
  /** When the lease of the replica ended, by the database. */
  readonly leaseUntil: number;
  /** The executions that ran there. */
  readonly held: readonly string[];
  /** How long after the healing it ran new work; undefined if it did not. */
  readonly recoveredInMs: number | undefined;
}

await runScript({
  name: 'partition',
  plants: { 'endless-lease': /had effects after the lease/ },
  run: async ({ options: { isShort, number }, plant, random }) => {
    const proxy = new SilentProxy();
    await proxy.listen();
    const cluster = await startCluster({
      random,
      plant,
      leaseMs,
      connectionStringFor: ({ connectionString }, replica) =>
        replica === 0 ? proxy.addressOf(connectionString) : connectionString,
    });
    const isSmall = plant !== undefined;
    try {
      return await check(cluster, proxy, {
        random,
        partitions: isSmall ? 1 : number('partitions', isShort ? 2 : 20),
        held: number('held', isShort ? 5 : 20),
        concurrency: number('concurrency', isShort ? 8 : 20),
        isProven: !isSmall,
      });
    } finally {
      await cluster.close();
      await proxy.close();
    }
  },
});

interface Sizes {
  readonly random: SeededRandom;
  readonly partitions: number;
  /**
   * How many executions with a long step, and how many with many short ones, are started on the
   * replica before each partition.
   */
  readonly held: number;
  /** How many executions run at a time on the other replicas, and on all. */
  readonly concurrency: number;
  /** Whether a run in which no commit was on the way is a problem: it does not prove anything. */
  readonly isProven: boolean;
}

async function check(
  cluster: Cluster,
  proxy: SilentProxy,
  { concurrency, held, isProven, partitions, random }: Sizes,
): Promise<Outcome> {
  const others: Cluster = { ...cluster, client: new HttpClient(cluster.replicas.slice(1), random.fork()) };
  let isOver = false;
  const load = { executions: 1, concurrency, shouldContinue: () => !isOver };
  const driving = Promise.all([
    drive(others, { ...load, prefix: 'other-', random: random.fork() }),
    // These also run on the replica that is cut off, whose commits are then on the way.
    drive(cluster, { ...load, prefix: 'any-', random: random.fork(), bodyMs: 50 }),
  ]);
  // A failure of the partitions is reported first.
  driving.catch(() => {});
  const done: Partition[] = [];
  for (let round = 0; done.length < partitions && round < partitions * 3; round += 1) {
    const ids = Array.from({ length: held }, (_, n) => `${round}-${n}`);
    const one = await partition(others, proxy, { random, ids });
    // On a busy machine, the replica may lose its lease earlier.
    if (one.held.length > 0) done.push(one);
  }
  const until = Date.now();
  isOver = true;
  const driven = (await driving).flat();

  const truth = await checkTruth(cluster, driven);
  const throughput = await checkThroughput(cluster, { prefix: 'other-', until, pauseMs });
  const lines = readAllBodies(cluster.directory);
  const checked = done.map((one) => checkPartition(lines, one, cluster.cpuWaits));
  const refused = lines.filter(({ kind }) => kind === 'fenced').length;
  const unanswered = lines.filter(({ kind }) => kind === 'unanswered').length;
  const unproven =
    isProven && refused + unanswered === 0 ? ['no commit of the replica was on the way during a silence'] : [];
  if (done.length < partitions)
    unproven.push(`the replica kept its lease until the silence in only ${done.length} of ${partitions} partitions`);
  return {
    figures: {
      partitions,
      executions: driven.length,
      held: done.flatMap((one) => one.held).length,
      lost: truth.lost,
      recordedTwice: truth.recordedTwice,
      commitsRefused: refused,
      commitsUnanswered: unanswered,
      lateEffects: checked.reduce((sum, { lateEffects }) => sum + lateEffects, 0),
      slowestAbort: Math.max(...checked.map(({ slowestAbort }) => slowestAbort)),
      slowestTakeover: Math.max(...checked.map(({ slowestTakeover }) => slowestTakeover)),
      takeoverBoundMs: takeoverMs,
      slowestRecovery: Math.round(Math.max(...done.map(({ recoveredInMs = patienceMs }) => recoveredInMs))),
      completedElsewhere: throughput.completed,
      longestPauseElsewhere: throughput.longestPauseMs,
    },
    problems: [...checked.flatMap(({ problems }) => problems), ...truth.problems],
    timing: [...checked.flatMap(({ timing }) => timing), ...throughput.problems, ...unproven],
  };
}

/**
 * Starts executions on the first replica, some of which commit all the time, cuts it off from the
 * database until others run them, and gives it new work.
 */
async function partition(
  others: Cluster,
  proxy: SilentProxy,
  { ids, random }: { readonly ids: readonly string[]; readonly random: SeededRandom },
): Promise<Partition> {
  const [victim] = others.replicas;
  const pid = victim?.pid;
  if (victim === undefined || pid === undefined) throw new Error('there is no replica');
  const started = ids.map((id) => `beats-${id}`);
  const tickers = ids.map((id) => `ticker-${id}`);
  await Promise.all(started.map((id) => start(others, { id, input: { n: 1, ms: bodyMs }, on: victim })));
  await waitUntil(() => {
    const lines = readAllBodies(others.directory);
    return started.every((id) => lines.some(isStartOf(id)));
  }, 'the steps started');
  // So many that each still commits when the connections become silent.
  const ticks = { ticks: 250, ms: 4 };
  await Promise.all(tickers.map((id) => start(others, { id, workflow: 'ticker', input: ticks, on: victim })));
  await delay(random.between(0, leaseMs / 6));

  proxy.silence();
  const silentAt = Date.now();
  await delay(settleMs);
  const { held, leaseUntil } = await leaseOf(others, { ids: started, victim });
  await delay(leaseUntil - Date.now() + leaseMs + random.between(0, leaseMs / 2));
  proxy.heal();
  const healedAt = Date.now();
  const recoveredInMs = await recovery(others, { victim, healedAt });
  await waitUntil(async () => {
    const { rows } = await others.pool.query('select from halyard.executions where id = any($1) and ended_at is null', [
      [...started, ...tickers],
    ]);
    return rows.length === 0;
  }, 'the executions of the replica ended');
  return { replica: victim.name, pid, silentAt, healedAt, leaseUntil, held, recoveredInMs };
}

async function start(
  { client }: Cluster,
  {
    id,
    input,
    on,
    workflow = 'beats',
  }: { readonly id: string; readonly workflow?: string; readonly input: object; readonly on: Replica },
): Promise<void> {
  await client.ask(`/workflows/${workflow}/execute`, { body: { input, options: { executionId: id } }, replica: on });
}

/** The lease of a replica, and which of the executions it runs. */
async function leaseOf(
  { pool }: Cluster,
  { ids, victim }: { readonly ids: readonly string[]; readonly victim: Replica },
): Promise<Pick<Partition, 'held' | 'leaseUntil'>> {
  const lines = readBodies(victim.bodyLog);
  const idsOf = (kind: BodyLine['kind']): Set<string> =>
    new Set(lines.flatMap((line) => (line.kind === kind ? [line.execution] : [])));
  const beating = new Set(ids).intersection(idsOf('start')).difference(idsOf('aborted'));
  const { rows } = await pool.query<{ id: string; until: number }>(
    `select e.id, r.lease_until::double precision as until from halyard.executions e join halyard.runners r on r.key = e.runner_key
     where e.id = any($1) and e.runner is not null`,
    [[...beating]],
  );
  return { held: rows.map(({ id }) => id), leaseUntil: Math.max(Date.now(), ...rows.map((row) => row.until)) };
}

/**
 * Starts executions on the replica until it runs one of them. @returns undefined if it does not.
 */
async function recovery(
  cluster: Cluster,
  { healedAt, victim }: { readonly victim: Replica; readonly healedAt: number },
): Promise<number | undefined> {
  const end = performance.now() + patienceMs;
  for (let number = 0; performance.now() < end; number += 1) {
    const id = `new-${healedAt}-${number}`;
    await start(cluster, { id, input: { n: 1, ms: 50 }, on: victim });
    await delay(100);
    const run = readBodies(victim.bodyLog).find(isStartOf(id));
    if (run !== undefined) return run.at - healedAt;
  }
  return undefined;
}

interface CheckedPartition {
  readonly lateEffects: number;
  /** Milliseconds after the end of the lease; negative: before. */
  readonly slowestAbort: number;
  readonly slowestTakeover: number;
  readonly problems: readonly string[];
  readonly timing: readonly string[];
}

function checkPartition(lines: readonly BodyLine[], done: Partition, cpuWaits: CpuWaits): CheckedPartition {
  const { held, healedAt, leaseUntil, pid, recoveredInMs, replica, silentAt } = done;
  // The replica must stop its steps by itself, so only its own waits excuse it.
  const waitedHere = (until: number): number => cpuWaits.ofReplica(pid, leaseUntil, until);
  const problems = recoveredInMs === undefined ? [`${replica} took no new work after the network had healed`] : [];
  const own = lines.filter((line) => line.replica === replica && line.at > silentAt);
  const late = own.filter(
    ({ at, execution, kind }) =>
      at > leaseUntil + graceMs &&
      at - waitedHere(at) > leaseUntil + graceMs &&
      (at < healedAt || held.includes(execution)) &&
      (kind === 'start' || kind === 'effect' || kind === 'end'),
  );
  const lateIds = [...new Set(late.map(({ execution }) => execution))];
  const timing = lateIds.map((id) => `${id} had effects after the lease of ${replica} had ended`);
  let slowestAbort = -Infinity;
  let slowestTakeover = 0;
  /** Without the time in which there was no CPU for the processes. */
  let slowestServedAbort = -Infinity;
  let slowestServedTakeover = 0;
  for (const id of held) {
    const aborted = own.find(({ execution, kind }) => execution === id && kind === 'aborted');
    if (aborted === undefined) problems.push(`${id}: its signal on ${replica} was not aborted`);
    else {
      const abort = aborted.at - leaseUntil;
      slowestAbort = Math.max(slowestAbort, abort);
      slowestServedAbort = Math.max(slowestServedAbort, abort - waitedHere(aborted.at));
    }
    const next = lines.find((line) => isStartOf(id)(line) && line.replica !== replica && line.at > silentAt);
    if (next === undefined) problems.push(`${id} was not continued by another replica`);
    else {
      const takeover = next.at - silentAt;
      slowestTakeover = Math.max(slowestTakeover, takeover);
      slowestServedTakeover = Math.max(slowestServedTakeover, takeover - cpuWaits.between(silentAt, next.at));
    }
    const ends = lines.filter(({ execution, kind }) => execution === id && kind === 'end');
    if (!ends.some((end) => end.replica !== replica)) problems.push(`${id}: only ${replica} ended its step`);
  }
  if (slowestServedAbort > graceMs)
    timing.push(`${replica} aborted its steps ${slowestServedAbort} ms after the end of its lease, not before`);
  if (slowestServedTakeover > takeoverMs)
    timing.push(
      `a takeover from ${replica} took ${slowestServedTakeover} ms without waits for the CPU; the limit is ${takeoverMs} ms`,
    );
  return { lateEffects: late.length, slowestAbort, slowestTakeover, problems, timing };
}

function isStartOf(id: string): (line: BodyLine) => boolean {
  return ({ execution, kind }) => execution === id && kind === 'start';
}
