import { silentLogger } from '@halyard/contracts';
import { createWorkflow, WorkflowRuntime } from '@halyard/core';
import { createPostgresStorage } from '@halyard/memory-postgres';
import { expect, it, onTestFinished } from 'vitest';
import { startPostgresServer } from '../../memory-postgres/src/testing/postgres-server.ts';
import { createRestateEngine } from './create-restate-engine.ts';
import { freePorts, RestateServer } from './testing/restate-server.ts';

const rounds = 9;
const roundMs = 2_000;
const atOnce = 50;

const step = (id: string) => ({
  id,
  execute: ({ data }: { data: unknown }) => Object.assign({}, data, { [id]: true }),
});
const anything = { type: 'object' } as const;
const one = createWorkflow({ id: 'one', input: anything }).andThen(step('a'));
const five = createWorkflow({ id: 'five', input: anything })
  .andThen(step('a'))
  .andThen(step('b'))
  .andThen(step('c'))
  .andThen(step('d'))
  .andThen(step('e'));

/** @param nodes of Restate. 0: executions are in PostgreSQL. */
async function open(nodes: 0 | 1 | 3): Promise<WorkflowRuntime> {
  const database = await startPostgresServer();
  onTestFinished(() => database.remove());
  const storage = createPostgresStorage({ connectionString: database.connectionString, logger: silentLogger });
  onTestFinished(() => storage.close());
  const workflows = [one, five];
  const services = { logger: silentLogger };
  if (nodes === 0) return started(new WorkflowRuntime({ workflows, storage, services }));
  const servers = await RestateServer.startCluster({}, nodes);
  onTestFinished(async () => void (await Promise.all(servers.map((server) => server.close()))));
  const [server = expect.fail()] = servers;
  const [port] = await freePorts();
  const engine = createRestateEngine({ ingress: server.ingress, serve: { port, host: '127.0.0.1' } });
  const opened = await engine.open(storage, { logger: silentLogger });
  onTestFinished(() => opened.executions.disconnect());
  await server.register(port);
  return started(new WorkflowRuntime({ workflows, storage: opened, services }));
}

function started(runtime: WorkflowRuntime): WorkflowRuntime {
  runtime.start();
  onTestFinished(() => runtime.stop(0));
  return runtime;
}

/** The figures of `docs/growing.md`: the places take turns, so that other load affects all of them. */
it('measures steps per second and the duration of one step on PostgreSQL and Restate', async () => {
  const places = [
    { name: 'PostgreSQL', runtime: await open(0), steps: [] as number[], durations: [] as number[] },
    { name: 'Restate, one node', runtime: await open(1), steps: [] as number[], durations: [] as number[] },
    { name: 'Restate, three nodes', runtime: await open(3), steps: [] as number[], durations: [] as number[] },
  ];
  for (let round = 0; round < rounds; round += 1)
    for (const { durations, runtime, steps } of places) {
      steps.push(await stepsPerSecond(runtime));
      for (let run = 0; run < 20; run += 1) {
        const began = performance.now();
        await execute(runtime, 'one');
        durations.push(performance.now() - began);
      }
    }
  console.table(
    places.map(({ durations, name, steps }) => ({
      name,
      'steps/s': Math.round(median(steps)),
      'lowest and highest': `${Math.round(Math.min(...steps))} to ${Math.round(Math.max(...steps))}`,
      'p50 of one step, ms': Math.round(median(durations) * 10) / 10,
    })),
  );
  for (const { steps } of places) expect(Math.min(...steps)).toBeGreaterThan(0);
});

async function stepsPerSecond(runtime: WorkflowRuntime): Promise<number> {
  const began = performance.now();
  let ended = 0;
  const work = async (): Promise<void> => {
    while (performance.now() - began < roundMs) {
      await execute(runtime, 'five');
      ended += 1;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return (ended * 5_000) / (performance.now() - began);
}

async function execute(runtime: WorkflowRuntime, workflow: 'one' | 'five'): Promise<void> {
  expect((await runtime.execute(workflow, {})).status).toBe('completed');
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
