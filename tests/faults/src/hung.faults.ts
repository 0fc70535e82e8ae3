/** Steps that block their process for longer than its lease, and steps that kill it. */
import { setTimeout as delay } from 'node:timers/promises';
import { readAllBodies } from './harness/body-log.ts';
import { checkJournal } from './harness/check-truth.ts';
import { type Cluster, startCluster } from './harness/cluster.ts';
import { runScript } from './harness/run-script.ts';

/** An execution must be given up before its step has run this often. The first claim commits the start of the step. */
const greatestRuns = 6;
const patienceMs = 60_000;

interface Ended {
  readonly status: string;
  readonly output?: { readonly n: number; readonly isFirst: boolean };
  readonly error?: { readonly code?: string };
}

await runScript({
  name: 'hung',
  plants: {
    'no-fence': /ended with the result of the process that hung|in the journal \d+ times|was emitted \d+ times/,
    'endless-claims': /was not given up/,
  },
  run: async ({ options: { isShort, number }, plant, random }) => {
    const hanging = number('hanging', isShort ? 2 : 20);
    const deadly = plant === 'no-fence' ? 0 : number('deadly', isShort ? 1 : 5);
    const cluster = await startCluster({ random, plant, leaseMs: 1_500 });
    const over = new AbortController();
    const restarting = restart(cluster, over.signal);
    const problems: string[] = [];
    try {
      const { client, leaseMs } = cluster;
      const ms = leaseMs * 3;
      const hung = Array.from({ length: plant === 'endless-claims' ? 0 : hanging }, (_, index) => `hangs-${index}`);
      const ends = hung.map((id) => endOf(cluster, { workflow: 'hangs', id, ms, isEnough: () => false }));
      for (const [index, { output, status }] of (await Promise.all(ends)).entries()) {
        if (status !== 'completed' || output?.n !== 2) problems.push(`${hung[index]} is ${status}`);
        else if (output.isFirst) problems.push(`${hung[index]} ended with the result of the process that hung`);
      }
      for (const replica of cluster.replicas) await client.ask('/readyz', { replica });

      const killers = Array.from({ length: deadly }, (_, index) => `deadly-${index}`);
      for (const id of killers) {
        const isEnough = (): boolean => runsOf(cluster, id) > greatestRuns;
        const { error, status } = await endOf(cluster, { workflow: 'deadly', id, ms: 0, isEnough });
        if (isEnough()) problems.push(`${id} was not given up: its step ran ${runsOf(cluster, id)} times`);
        else if (status !== 'error' || error?.code !== 'EXECUTION_GIVEN_UP')
          problems.push(`${id} is ${status} ${error?.code ?? ''}`);
      }
      over.abort();
      await restarting;

      const lines = readAllBodies(cluster.directory);
      const refused = lines.filter(({ kind }) => kind === 'fenced').length;
      const hungRuns = lines.filter(({ execution, kind }) => execution.startsWith('hangs') && kind === 'end').length;
      if (plant === undefined && hungRuns < hanging * 2) problems.push('no other process ran a step that hung');
      if (plant === undefined && refused < hanging)
        problems.push(`only ${refused} of ${hanging} commits of processes that hung were refused`);
      problems.push(...(await checkJournal(cluster)));
      const deadlyRuns = Math.max(0, ...killers.map((id) => runsOf(cluster, id)));
      return { figures: { hanging, hungRuns, commitsRefused: refused, deadly, deadlyRuns }, problems };
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

/** Starts an execution and waits until it has ended or `isEnough` returns true. @returns its state. */
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
