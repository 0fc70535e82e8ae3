/** Whether what clients saw of executions, on all replicas and while one is killed now and then, can have happened in one place. */
import { setTimeout as delay } from 'node:timers/promises';
import { type Cluster, startCluster } from './harness/cluster.ts';
import { scriptOptions } from './harness/script-options.ts';
import { SeededRandom } from './harness/seeded-random.ts';
import { History } from './history.ts';
import { findViolations, type Violation } from './linear-check.ts';
import { actOn } from './linear-clients.ts';
import type { PlantName } from './plants.ts';

const { isShort, number, plant, seed } = scriptOptions();
const executions = number('executions', isShort ? 60 : 2_000);
const kills = number('kills', isShort ? 1 : 40);
const clientsPerExecution = 4;
const callsPerClient = 8;
const atOnce = 10;

const clean = await checkWith(plant as PlantName | undefined, { executions, kills });
for (const violation of clean.violations.slice(0, 3)) describe(violation);
// The checker is worth what it finds.
const planted = await checkWith('stale-reads', { executions: 60, kills: 0 });
const isGood = clean.violations.length === 0 && planted.violations.length > 0;
const figures = { ...clean, violations: clean.violations.length, foundOfPlant: planted.violations.length };
process.stdout.write(`${JSON.stringify({ check: 'linear', isGood, seed, ...figures })}\n`);
process.exitCode = isGood ? 0 : 1;

interface Checked {
  readonly executions: number;
  readonly kills: number;
  readonly operations: number;
  /** Of each kind how many came to nothing that the client knows of. */
  readonly unknown: Readonly<Record<string, string>>;
  readonly violations: readonly Violation[];
  readonly seconds: number;
}

async function checkWith(
  bug: PlantName | undefined,
  { executions: count, kills: killCount }: { readonly executions: number; readonly kills: number },
): Promise<Checked> {
  const random = new SeededRandom(seed);
  const history = new History();
  // Answers of runs come at their rest, or soon.
  const cluster = await startCluster({ random, plant: bug, limits: { executeWaitMs: 400, suspendWaitMs: 2_000 } });
  const began = performance.now();
  const over = new AbortController();
  try {
    const killing = killSome(cluster, { count: killCount, random: random.fork(), signal: over.signal });
    const ids = Array.from({ length: count }, (_, index) => `execution-${index}`);
    const player = async (): Promise<void> => {
      for (let id = ids.shift(); id !== undefined; id = ids.shift()) {
        const executionId = id;
        const clients = Array.from({ length: clientsPerExecution }, () =>
          actOn(executionId, { calls: callsPerClient, cluster, history, random: random.fork() }),
        );
        await Promise.all(clients);
      }
    };
    const playing = Promise.all(Array.from({ length: atOnce }, player)).then(() => over.abort());
    const [killed] = await Promise.all([killing, playing]);
    const operations = [...history.executions.values()].flat();
    return {
      executions: count,
      kills: killed,
      operations: operations.length,
      unknown: Object.fromEntries(
        Object.entries(Object.groupBy(operations, ({ kind }) => kind)).map(([kind, ofKind]) => [
          kind,
          `${ofKind?.filter(({ outcome }) => outcome.type === 'unknown').length} of ${ofKind?.length}`,
        ]),
      ),
      violations: findViolations(history),
      seconds: Math.round((performance.now() - began) / 1_000),
    };
  } finally {
    over.abort();
    await cluster.close();
  }
}

/** Each is back before the next is killed. @returns how many were. */
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

function describe({ executionId, operations, reason }: Violation): void {
  process.stderr.write(`${executionId}: ${reason}\n`);
  for (const { events, invokedAt, kind, outcome, replica, returnedAt, token } of operations) {
    const times = `${invokedAt.toFixed(1)}–${returnedAt.toFixed(1)}`;
    const what = `${kind} ${kind === 'resume' ? token : ''} on ${replica}`;
    process.stderr.write(`  ${times} ${what}: ${JSON.stringify(outcome)} ${events?.length ?? ''}\n`);
  }
}
