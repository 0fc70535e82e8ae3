import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Storage } from '@halyard/contracts';
import { WorkflowRuntime } from '@halyard/core';
import { createPostgresStorage } from '../src/postgres-storage.ts';
import { startPostgresServer } from '../src/testing/postgres-server.ts';
import { round, workflow } from './five-steps.ts';

/*
 * Measures durable steps per second: executions of five trivial steps, `atOnce` at a time.
 * Run: node --conditions=@halyard/source bench/durable-steps.ts [server] [embedded]
 * SECONDS: duration of each measurement (default 8).
 */
const seconds = Number(process.env['SECONDS'] ?? 8);
const atOnce = 50;
const kinds = process.argv.slice(2);

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
  await storage.executions.backlog(['order'], 1).catch(() => storage.executions.backlog(['order'], 1));
  const runtime = new WorkflowRuntime({ workflows: [workflow], storage });
  runtime.start();
  await round(runtime, { atOnce, forSeconds: 2 });
  const cpu = process.cpuUsage();
  const { executions, tookMs } = await round(runtime, { atOnce, forSeconds: seconds });
  const { system, user } = process.cpuUsage(cpu);
  const steps = (executions * 5 * 1_000) / tookMs;
  console.log(
    `${name}: ${Math.round(steps)} steps/s (${executions} executions in ${Math.round(tookMs)} ms; CPU of this process ${((user + system) / 10 / tookMs).toFixed(0)} %)`,
  );
  await runtime.stop(1_000);
  await storage.close();
}
