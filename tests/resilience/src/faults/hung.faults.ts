/**
 * Steps that block their process for longer than its lease, and steps that kill it, with healthy
 * executions beside them.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { readAllBodies } from './harness/body-log.ts';
import { checkJournal } from './harness/check-truth.ts';
import { type Cluster, startCluster } from './harness/cluster.ts';
import { runScript } from './harness/run-script.ts';

/**
 * An execution must be quarantined before its step has run more often. The first claim commits the
 * start of the step.
 */
const greatestRuns = 9;
/** Longer than an execution is left alone in all until its eighth claim: 189 leases at most. */
const patienceMs = 300_000;

interface Ended {
  readonly status: string;
  readonly output?: { readonly n: number; readonly isFirst: boolean };
  readonly quarantinedAt?: string;
}

await runScript({
  name: 'hung',
  plants: {
    'no-fence': /ended with the result of the process that hung|in the journal \d+ times|was emitted \d+ times/,
    'endless-claims': /was not quarantined/,
  },
  run: async ({ options: { isShort, number }, plant, random }) => {
    const hanging = number('hanging', isShort ? 2 : 20);
    const deadly = plant === 'no-fence' ? 0 : number('deadly', isShort ? 1 : 5);
    const healthyCount = plant === undefined ? number('healthy', isShort ? 6 : 20) : 0;
    const cluster = await startCluster({ random, plant, leaseMs: 1_500 });
    const over = new AbortController();
    const restarting = restart(cluster, over.signal);
    const problems: string[] = [];
    const timing: string[] = [];
    try {
      const { client, leaseMs } = cluster;
      const ms = leaseMs * 3;
      const hung = Array.from({ length: plant === 'endless-claims' ? 0 : hanging }, (_, index) => `hangs-${index}`);
      // One replica fewer than there are: if all hang at the same time, no other process takes
      // over, and the late commits are accepted.
      const atOnce = cluster.replicas.length - 1;
      for (let first = 0; first < hung.length; first += atOnce) {
        const ids = hung.slice(first, first + atOnce);
        const ends = ids.map((id) => endOf(cluster, { workflow: 'hangs', id, ms, isEnough: () => false }));
        for (const [index, { output, status }] of (await Promise.all(ends)).entries()) {
          if (status !== 'completed' || output?.n !== 2) problems.push(`${ids[index]} is ${status}`);
          else if (output.isFirst) problems.push(`${ids[index]} ended with the result of the process that hung`);
        }
      }
      for (const replica of cluster.replicas) await client.ask('/readyz', { replica });

      const killers = Array.from({ length: deadly }, (_, index) => `deadly-${index}`);
      // Each takes as long as several leases, so that the deaths of their processes interrupt them.
      const healthy = Array.from({ length: healthyCount }, (_, index) => `healthy-${index}`);
      const healthyEnds = healthy.map((id) =>
        endOf(cluster, { workflow: 'chain', id, ms: leaseMs * (isShort ? 1 : 3), isEnough: () => false }),
      );
      const killerEnds = killers.map(async (id) => {
        const isEnough = (): boolean => runsOf(cluster, id) > greatestRuns;
        const { quarantinedAt, status } = await endOf(cluster, { workflow: 'deadly', id, ms: 0, isEnough });
        if (isEnough()) problems.push(`${id} was not quarantined: its step ran ${runsOf(cluster, id)} times`);
        else if (status !== 'suspended' || quarantinedAt === undefined) problems.push(`${id} is ${status}`);
      });
      await Promise.all(killerEnds);
      for (const [index, { status }] of (await Promise.all(healthyEnds)).entries())
        if (status !== 'completed') problems.push(`${healthy[index]} is ${status}`);
      const { data: listed } = await client.ask('/workflows/executions?quarantined=true');
      const listedIds = (listed as readonly { readonly id: string }[]).map(({ id }) => id);
      if (problems.length === 0 && listedIds.toSorted().join() !== killers.toSorted().join())
        problems.push(`in quarantine are ${listedIds.join()}`);
      for (const id of killers)
        await client.ask(`/workflows/deadly/executions/${id}/cancel`, { body: { reason: 'no use' } });
      over.abort();
      await restarting;

      const lines = readAllBodies(cluster.directory);
      const refused = lines.filter(({ kind }) => kind === 'fenced').length;
      const hungRuns = lines.filter(({ execution, kind }) => execution.startsWith('hangs') && kind === 'end').length;
      if (plant === undefined && hungRuns < hanging * 2) timing.push('no other process ran a step that hung');
      if (plant === undefined && refused < hanging)
        timing.push(`only ${refused} of ${hanging} commits of processes that hung were refused`);
      problems.push(...(await checkJournal(cluster)));
      const healthyRuns = healthy.reduce((sum, id) => sum + runsOf(cluster, id), 0);
      const deadlyRuns = Math.max(0, ...killers.map((id) => runsOf(cluster, id)));
      return {
        figures: {
          hanging,
          hungRuns,
          commitsRefused: refused,
          deadly,
          deadlyRuns,
          healthy: healthy.length,
          healthyRuns,
        },
        problems,
        timing,
      };
    } finally {
      over.abort();
      await restarting.catch(() => {});
      await cluster.close();
    }
  },
});

function runsOf({ directory }: Cluster, id: string): number {
  return readAllBodies(directory).filter(({ execution, kind }) => execution === id && kind === 'start').length;
}

/**
 * Starts an execution and waits until it has ended or `isEnough` returns true. @returns its state.
 */
async function endOf(
  { client }: Cluster,
  {
    id,
    isEnough,
    ms,
    workflow,
  }: { readonly workflow: string; readonly id: string; readonly ms: number; readonly isEnough: () => boolean },
): Promise<Ended> {
  const body = { input: { n: 1, ms }, options: { executionId: id } };
  await client.ask(`/workflows/${workflow}/execute`, { body });
  const until = performance.now() + patienceMs;
  for (;;) {
    const { data } = await client.ask(`/workflows/${workflow}/executions/${id}`);
    const state = data as Ended;
    if (state.status !== 'running' || isEnough() || performance.now() > until) return state;
    await delay(100);
  }
}

/** Restarts replicas that have ended, as a process supervisor does. */
async function restart({ replicas }: Cluster, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    for (const replica of replicas) if (replica.hasEnded) await replica.start();
    await delay(50);
  }
}
