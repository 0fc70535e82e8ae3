/**
 * Replicas behind PgBouncer in transaction mode, where notifications are not delivered: checks that
 * they find changes by polling, and how soon.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../../../packages/memory-postgres/src/testing/free-port.ts';
import {
  findPgbouncer,
  type Pgbouncer,
  startPgbouncer,
  throughPgbouncer,
} from '../../../../packages/memory-postgres/src/testing/pgbouncer.ts';
import { type Cluster, startCluster } from './harness/cluster.ts';
import type { Replica } from './harness/replica-process.ts';
import { type Outcome, runScript } from './harness/run-script.ts';
import { SseFollower } from './sse-follower.ts';

/** The poll interval, and time to process what was found. */
const boundMs = 3_000 + 1_500;
const patienceMs = 60_000;
/** Ten times the bound, so that no test waits for its end. */
const longRun = { ticks: 450, ms: 100 };

const program = await findPgbouncer();

await runScript({
  name: 'pgbouncer',
  plants: program === undefined ? {} : { 'local-events': /its events came/ },
  run: async ({ options: { isShort, number }, plant, random }) => {
    if (program === undefined) return withoutPgbouncer();
    const port = await freePort();
    let pooler: Promise<Pgbouncer> | undefined;
    let cluster: Cluster | undefined;
    try {
      cluster = await startCluster({
        random,
        plant,
        replicas: 2,
        limits: { executeWaitMs: patienceMs },
        connectionStringFor: ({ connectionString: database }) => {
          pooler ??= startPgbouncer({ program, database, port });
          return throughPgbouncer(database, port);
        },
      });
      return await measure(cluster, number('executions', isShort ? 8 : 40));
    } finally {
      await cluster?.close();
      await (await pooler)?.stop();
    }
  },
});

/** A missing PgBouncer is a problem only in CI, where it can be installed. */
function withoutPgbouncer(): Outcome {
  const problem = 'PgBouncer is not installed (Debian package: pgbouncer)';
  const mustBeThere = process.env['CI'] !== undefined && process.getuid?.() === 0;
  if (!mustBeThere) console.log(`pgbouncer: skipped, ${problem}`);
  return { figures: {}, problems: mustBeThere ? [problem] : [] };
}

async function measure(cluster: Cluster, count: number): Promise<Outcome> {
  const [here, there] = cluster.replicas;
  if (here === undefined || there === undefined) throw new Error('two replicas are needed');
  const ids = Array.from({ length: count }, (_, index) => `${index}`);
  const problems: string[] = [];
  const timing: string[] = [];
  const each = async (what: string, act: (id: string) => Promise<number>): Promise<number> => {
    const times = await Promise.all(
      ids.map((id) =>
        act(`${what}-${id}`).catch((error: unknown) => {
          problems.push(`${what}-${id}: ${String(error)}`);
          return 0;
        }),
      ),
    );
    const slowest = Math.round(Math.max(...times));
    if (slowest > boundMs) timing.push(`${what} took ${slowest} ms`);
    return slowest;
  };
  const figures = {
    executions: 3 * count,
    slowestEventMs: await each('follow', (id) => follow(cluster, id, { here, there })),
    slowestResumptionMs: await each('resume', (id) => resume(cluster, id, { here, there })),
    slowestCancellationMs: await each('cancel', (id) => cancel(cluster, id, { here, there })),
  };
  return { figures, problems, timing };
}

interface Places {
  readonly here: Replica;
  readonly there: Replica;
}

/**
 * Follows on one replica an execution that runs on the other. @returns how long the slowest event
 * took.
 */
async function follow({ client }: Cluster, id: string, { here, there }: Places): Promise<number> {
  const follower = new SseFollower(`/workflows/ticker/executions/${id}/stream`, client);
  const ended = client.ask('/workflows/ticker/execute', {
    body: { input: { ticks: 10, ms: 300 }, options: { executionId: id } },
    replica: here,
  });
  await waitUntilFound(client, `/workflows/ticker/executions/${id}`, there);
  await follower.follow(there, AbortSignal.timeout(patienceMs));
  await ended;
  const seqs = follower.events.map(({ seq }) => seq);
  if (!follower.isEnded || seqs.some((seq, index) => seq !== index + 1))
    throw new Error(`its events came as ${seqs.join()}`);
  return Math.max(
    ...follower.events.map(({ connectedAt, receivedAt, writtenAt }) => receivedAt - Math.max(writtenAt, connectedAt)),
  );
}

/**
 * Resumes on one replica an execution that was suspended on the other. @returns the time until it
 * has ended.
 */
async function resume({ client }: Cluster, id: string, { here, there }: Places): Promise<number> {
  const body = { input: { n: 1, ms: 1 }, options: { executionId: id } };
  await client.ask('/workflows/approval/execute', { body, replica: here });
  const began = performance.now();
  const path = `/workflows/approval/executions/${id}/resume`;
  const { data } = await client.ask(path, { body: { resumeData: { by: 1 } }, replica: there });
  if (!isStatus(data, 'completed')) throw new Error(JSON.stringify(data));
  return performance.now() - began;
}

/**
 * Cancels on one replica an execution that runs on the other. @returns the time until it is
 * cancelled.
 */
async function cancel({ client }: Cluster, id: string, { here, there }: Places): Promise<number> {
  const body = { input: longRun, options: { executionId: id } };
  const ended = client.once('/workflows/ticker/execute', { body, replica: here }).catch(() => {});
  await waitUntilFound(client, `/workflows/ticker/executions/${id}`, there);
  const began = performance.now();
  const { data } = await client.ask(`/workflows/ticker/executions/${id}/cancel`, { body: {}, replica: there });
  if (!isStatus(data, 'cancelled')) throw new Error(JSON.stringify(data));
  const tookMs = performance.now() - began;
  await ended;
  return tookMs;
}

async function waitUntilFound(client: Cluster['client'], path: string, replica: Replica): Promise<void> {
  while ((await client.ask(path, { replica })).status !== 200) await delay(20);
}

function isStatus(data: unknown, status: string): boolean {
  return typeof data === 'object' && data !== null && 'status' in data && data.status === status;
}
