import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Storage } from '@halyard/contracts';
import { createWorkflow, WorkflowRuntime } from '@halyard/core';
import { createPostgresStorage } from '../src/postgres-storage.ts';
import { startPostgresServer } from '../src/testing/postgres-server.ts';

/*
 * Durable steps a second: executions of five trivial steps, as many at once as `atOnce`.
 * node --conditions=@halyard/source bench/durable-steps.ts [server] [embedded], for SECONDS (8) each
 */
const seconds = Number(process.env['SECONDS'] ?? 8);
const atOnce = 50;
const kinds = process.argv.slice(2);

const anything = { type: 'object' } as const;
const step = (id: string) => ({ id, execute: async ({ data }: { data: object }) => ({ ...data, [id]: true }) });
const workflow = createWorkflow({ id: 'five', name: 'Five', purpose: 'Measures', input: anything, result: anything })
  .andThen(step('one'))
  .andThen(step('two'))
  .andThen(step('three'))
  .andThen(step('four'))
  .andThen(step('five'));

if (kinds.length === 0 || kinds.includes('server')) {
  const server = await startPostgresServer();
  try {
    await measure('PostgreSQL', createPostgresStorage({ connectionString: server.connectionString }));
  } finally {
    await server.remove();
  }
}
if (kinds.length === 0 || kinds.includes('embedded')) {
  const dataDir = mkdtempSync(join(tmpdir(), 'halyard-embedded-'));
  try {
    await measure('PGlite', createPostgresStorage({ dataDir }));
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function measure(name: string, storage: Storage): Promise<void> {
  await storage.executions.nextDue().catch(() => storage.executions.nextDue());
  const runtime = new WorkflowRuntime({ workflows: [workflow], storage });
  runtime.start();
  await round(runtime, 2);
  const cpu = process.cpuUsage();
  const { executions, tookMs } = await round(runtime, seconds);
  const { system, user } = process.cpuUsage(cpu);
  const steps = (executions * 5 * 1_000) / tookMs;
  console.log(
    `${name}: ${Math.round(steps)} steps/s (${executions} executions in ${Math.round(tookMs)} ms; CPU of this process ${((user + system) / 10 / tookMs).toFixed(0)} %)`,
  );
  await runtime.stop(1_000);
  await storage.close();
}

async function round(runtime: WorkflowRuntime, forSeconds: number): Promise<{ executions: number; tookMs: number }> {
  const began = performance.now();
  const end = began + forSeconds * 1_000;
  let executions = 0;
  const one = async (): Promise<void> => {
    while (performance.now() < end) {
      const { status } = await runtime.execute('five', { order: 7 }, {});
      if (status !== 'completed') throw new TypeError(`An execution is ${status}`);
      executions += 1;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, one));
  return { executions, tookMs: performance.now() - began };
}
