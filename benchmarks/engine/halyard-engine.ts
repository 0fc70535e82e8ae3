import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { silentLogger, systemClock } from '@halyard/contracts';
import type * as core from '@halyard/core';
import type * as coreServer from '@halyard/core/server';
import type * as postgres from '@halyard/memory-postgres';
import { countClaims } from '../../packages/memory-postgres/bench/counted-claims.ts';
import { median } from '../harness/median.ts';
import type { Answer, Request } from './engine-process.ts';

/*
 * Halyard as an engine of `side-by-side.ts`. Arguments: a connection string, the work tree whose built packages are
 * measured, `spans` to store spans, and `many` to run as many executions at a time as are held in a step.
 */
const [connectionString = '', tree = '', ...flags] = process.argv.slice(2);
const packages = join(tree, 'packages');
const { createWorkflow, WorkflowRuntime } = (await import(join(packages, 'core/dist/index.js'))) as typeof core;
const { createRecorder, Telemetry } = (await import(join(packages, 'core/dist/server.js'))) as typeof coreServer;
const { createPostgresStorage } = (await import(join(packages, 'memory-postgres/dist/index.js'))) as typeof postgres;
const hourMs = 3_600_000;

const storage = createPostgresStorage({ connectionString, logger: silentLogger });
await storage.opened?.();
const counts = countClaims(storage.executions);
if (storage.telemetry === undefined) throw new TypeError('The storage has no store of spans');
const telemetry = new Telemetry({ store: storage.telemetry, clock: systemClock, logger: silentLogger });
const recorder = createRecorder({ sink: telemetry, clock: systemClock });
const anything = { type: 'object' } as const;
const step = (id: string) => ({
  id,
  execute: async ({ data }: { data: unknown }) => Object.assign({}, data, { [id]: true }),
});
const one = createWorkflow({ id: 'one', input: anything }).andThen(step('one'));
const five = createWorkflow({ id: 'five', input: anything })
  .andThen(step('one'))
  .andThen(step('two'))
  .andThen(step('three'))
  .andThen(step('four'))
  .andThen(step('five'));
const held = {
  waits: createWorkflow({ id: 'waits' }).andWaitForEvent({ id: 'event', event: 'never', timeoutMs: hourMs }),
  sleeps: createWorkflow({ id: 'sleeps' }).andSleep({ id: 'nap', durationMs: hourMs }),
  'in-step': createWorkflow({ id: 'in-step' }).andThen({
    id: 'idle',
    execute: ({ signal }) => delay(hourMs, null, { signal }),
  }),
};
const runtime = new WorkflowRuntime({
  workflows: [one, five, ...Object.values(held)],
  storage,
  ...(flags.includes('many') && { queue: { concurrency: 1_000 } }),
  services: { logger: silentLogger, ...(flags.includes('spans') && { recorder }) },
});
runtime.start();
process.on('message', (request: Request) => void answer(request).then((reply) => process.send?.(reply)));
process.on('disconnect', () => void end());
process.send?.({ isOnPostgres: true });

async function answer(request: Request): Promise<Answer> {
  const before = { ...counts };
  const began = performance.now();
  const done = await carryOut(request);
  const tookMs = performance.now() - began;
  return { tookMs, claims: counts.claims - before.claims, inVain: counts.inVain - before.inVain, ...done };
}

async function carryOut(request: Request): Promise<Pick<Answer, 'runs' | 'p50Ms'>> {
  switch (request.type) {
    case 'five': {
      const until = performance.now() + request.seconds * 1_000;
      const runs = await atOnce(
        request.atOnce,
        () => performance.now() < until,
        () => execute(five.id),
      );
      return { runs };
    }
    case 'repeat':
      for (let run = 0; run < request.runs; run += 1) await execute(five.id);
      return { runs: request.runs };
    case 'one': {
      const took: number[] = [];
      for (let run = 0; run < request.runs; run += 1) {
        const began = performance.now();
        await execute(one.id);
        took.push(performance.now() - began);
      }
      return { runs: request.runs, p50Ms: median(took) };
    }
    case 'hold': {
      let left = request.count;
      await atOnce(
        50,
        () => left-- > 0,
        () => runtime.begin(held[request.place].id, null),
      );
      return { runs: request.count };
    }
    default:
      return request satisfies never;
  }
}

async function atOnce(count: number, goesOn: () => boolean, work: () => Promise<unknown>): Promise<number> {
  let done = 0;
  const repeat = async (): Promise<void> => {
    while (goesOn()) {
      await work();
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: count }, repeat));
  return done;
}

async function execute(workflowId: string): Promise<void> {
  const { status } = await runtime.execute(workflowId, { order: 7 });
  if (status !== 'completed') throw new TypeError(`An execution is ${status}`);
}

async function end(): Promise<void> {
  await runtime.stop(0);
  await telemetry.close();
  await storage.close();
}
