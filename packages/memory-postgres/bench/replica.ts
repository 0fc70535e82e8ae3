import { WorkflowRuntime } from '@halyard/core';
import { createPostgresStorage } from '../src/postgres-storage.ts';
import { round, workflow } from './five-steps.ts';

/**
 * A process of `replicas.ts`: runs a round for each message. Arguments: the connection string, and
 * how many executions run at a time.
 */
const [connectionString = '', atOnce = ''] = process.argv.slice(2);
const storage = createPostgresStorage({ connectionString });
await storage.executions.backlog(['order'], 1).catch(() => storage.executions.backlog(['order'], 1));
const runtime = new WorkflowRuntime({ workflows: [workflow], storage });
runtime.start();

process.on('message', (forSeconds: number) => void measure(forSeconds));
process.on('disconnect', () => void end());
process.send?.('ready');

async function measure(forSeconds: number): Promise<void> {
  const before = process.cpuUsage();
  const { executions, tookMs } = await round(runtime, { atOnce: Number(atOnce), forSeconds });
  const { system, user } = process.cpuUsage(before);
  process.send?.({ executions, tookMs, cpuMs: (system + user) / 1_000 });
}

async function end(): Promise<void> {
  await runtime.stop(1_000);
  await storage.close();
}
