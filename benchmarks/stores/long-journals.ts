import { type ExecutionStore, silentLogger, type Storage } from '@halyard/contracts';
import type { StepContext } from '@halyard/core';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { report } from '../../packages/memory-postgres/bench/measure.ts';
import { importCore, importStorage } from '../../packages/memory-postgres/bench/work-tree.ts';
import { startPostgresServer } from '../../packages/memory-postgres/src/testing/postgres-server.ts';
import { median } from '../harness/median.ts';

/*
 * Measures how long it takes to wake an execution whose journal has 10 000 entries, of 5 000 rounds
 * of a loop: from the request to resume until its step runs. Each wake-up has a runtime of its own,
 * which knows nothing of the execution. Each case runs with checkpoints and without them:
 * checkpoints are worth their code as long as a wake-up without them takes more than 150 ms.
 * Run: node --conditions=@halyard/source benchmarks/stores/long-journals.ts
 * TREE: another work tree to measure instead.
 */
const { andThen, createWorkflow, WorkflowRuntime } = await importCore();
const { createPostgresStorage } = await importStorage();
const rounds = 5_000;
const wakeUps = 11;
const server = await startPostgresServer();
const postgres = createPostgresStorage({ connectionString: server.connectionString, logger: silentLogger });
try {
  await postgres.opened?.();
  for (const size of [10, 1_000]) {
    await measure('in memory', createInMemoryStorage(), size);
    await measure('PostgreSQL', postgres, size);
  }
} finally {
  await postgres.close();
  await server.remove();
}

async function measure(where: string, storage: Storage, bytes: number): Promise<void> {
  for (const isKept of [true, false]) {
    const executions = isKept ? storage.executions : withoutCheckpoints(storage.executions);
    const took = await wake({ ...storage, executions }, bytes);
    const kind = isKept ? 'with checkpoints' : 'without checkpoints';
    report(
      `waking an execution of ${2 * rounds} entries of ${bytes} bytes, ${where}, ${kind}`,
      { 'p50 ms': median(took), 'most ms': Math.max(...took) },
      { 'p50 ms': 150 },
    );
  }
}

/** How long each wake-up takes, in milliseconds. */
async function wake(storage: Storage, bytes: number): Promise<readonly number[]> {
  let answered = Promise.withResolvers<void>();
  const workflow = createWorkflow({ id: 'rounds' }).andDoWhile({
    id: 'loop',
    maxIterations: 2 * rounds,
    condition: () => true,
    step: andThen({
      id: 'round',
      execute: ({ data, resumeData, suspend }: StepContext<unknown>) => {
        const round = isRound(data) ? data.round + 1 : 1;
        if (resumeData !== undefined) answered.resolve();
        else if (round > rounds) return suspend('asks');
        return { round, text: 'x'.repeat(bytes) };
      },
    }),
  });
  const withRuntime = async <Result>(work: (runtime: InstanceType<typeof WorkflowRuntime>) => Promise<Result>) => {
    const runtime = new WorkflowRuntime({ workflows: [workflow], storage, services: { logger: silentLogger } });
    runtime.start();
    try {
      return await work(runtime);
    } finally {
      await runtime.stop(0);
    }
  };
  const executionId = await withRuntime(async (runtime) => (await runtime.execute('rounds', null, {})).executionId);
  const place = { owner: 'anyone', workflowId: 'rounds', executionId } as const;
  await withRuntime((runtime) => runtime.wait(place));
  const took: number[] = [];
  for (let time = 0; time < wakeUps; time += 1) {
    answered = Promise.withResolvers<void>();
    await withRuntime(async (runtime) => {
      const suspensionId = (await storage.executions.find('anyone', executionId))?.suspensions[0]?.id;
      const began = performance.now();
      await runtime.resume(place, { suspensionId, resumeData: 1 });
      await answered.promise;
      took.push(performance.now() - began);
      await runtime.wait(place);
    });
  }
  return took;
}

function isRound(data: unknown): data is { readonly round: number } {
  return typeof data === 'object' && data !== null && 'round' in data;
}

/** The same store, which ignores checkpoints. */
function withoutCheckpoints(store: ExecutionStore): ExecutionStore {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (name !== 'commit') return value.bind(target);
      return ({ checkpoint: _, ...commit }: Parameters<ExecutionStore['commit']>[0]) => target.commit(commit);
    },
  });
}
