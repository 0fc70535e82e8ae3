/**
 * Checks that the operations of concurrent clients on all replicas are linearizable, while replicas
 * are killed from time to time.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type Cluster, startCluster } from './harness/cluster.ts';
import { type Outcome, runScript } from './harness/run-script.ts';
import type { SeededRandom } from './harness/seeded-random.ts';
import { History, type Operation } from './history.ts';
import { findViolations, type Violation } from './linear-check.ts';
import { actOn } from './linear-clients.ts';

const clientsPerExecution = 4;
const callsPerClient = 8;
const atOnce = 10;

await runScript({
  name: 'linear',
  plants: { 'stale-reads': /not linearizable/ },
  run: async ({ options: { isShort, number }, plant, random }) => {
    const isSmall = plant !== undefined;
    const executions = isSmall ? 60 : number('executions', isShort ? 80 : 2_000);
    const kills = isSmall ? 0 : number('kills', isShort ? 1 : 40);
    // Responses come when the execution is idle, or after a short wait.
    const cluster = await startCluster({ random, plant, limits: { executeWaitMs: 400, suspendWaitMs: 2_000 } });
    try {
      return await check(cluster, { executions, kills, random });
    } finally {
      await cluster.close();
    }
  },
});

async function check(
  cluster: Cluster,
  { executions, kills, random }: { readonly executions: number; readonly kills: number; readonly random: SeededRandom },
): Promise<Outcome> {
  const history = new History();
  const over = new AbortController();
  const killing = killSome(cluster, { count: kills, random: random.fork(), signal: over.signal });
  const ids = Array.from({ length: executions }, (_, index) => `execution-${index}`);
  const player = async (): Promise<void> => {
    for (let id = ids.shift(); id !== undefined; id = ids.shift()) {
      const executionId = id;
      const clients = Array.from({ length: clientsPerExecution }, () =>
        actOn(executionId, { calls: callsPerClient, cluster, history, random: random.fork() }),
      );
      await Promise.all(clients);
    }
  };
  const playing = Promise.all(Array.from({ length: atOnce }, player)).finally(() => over.abort());
  const [killed] = await Promise.all([killing, playing]);

  const operations = [...history.executions.values()].flat();
  const violations = findViolations(history);
  const figures = {
    executions,
    kills: killed,
    operations: operations.length,
    // The check decides less, the more outcomes are unknown.
    unknown: operations.filter(({ outcome }) => outcome.type === 'unknown').length,
    ...Object.fromEntries(
      Object.entries(Object.groupBy(operations, ({ kind }) => kind)).map(([kind, all]) => [kind, all?.length ?? 0]),
    ),
  };
  return { figures, problems: violations.map(describe) };
}

/** Kills and restarts one replica after the other. @returns how many were killed. */
async function killSome(
  { replicas }: Cluster,
  { count, random, signal }: { readonly count: number; readonly random: SeededRandom; readonly signal: AbortSignal },
): Promise<number> {
  let killed = 0;
  while (killed < count) {
    await delay(random.between(300, 2_000), undefined, { signal }).catch(() => {});
    if (signal.aborted) return killed;
    const replica = random.pick(replicas);
    await replica.signal('SIGKILL');
    killed += 1;
    await replica.start();
  }
  return killed;
}

function describe({ executionId, operations, reason }: Violation): string {
  return [`${executionId}: ${reason}`, ...operations.map(describeOperation)].join('\n    ');
}

function describeOperation({ events, invokedAt, kind, outcome, replica, returnedAt, round, token }: Operation): string {
  const times = `${invokedAt.toFixed(1)}–${returnedAt.toFixed(1)}`;
  const what = kind === 'resume' ? `${kind} ${token} of question ${round}` : kind;
  const read = events === undefined ? '' : ` ${events.length} events`;
  return `${times} ${what} on ${replica}: ${JSON.stringify(outcome)}${read}`;
}
