import { setTimeout as delay } from 'node:timers/promises';
import { silentLogger } from '@halyard/contracts';
import { countClaims } from './counted-claims.ts';
import { importCore, importStorage } from './work-tree.ts';

/** The requests of `shared-backlog.ts`. The reply is sent when the work is done. */
export type Request =
  | { readonly type: 'begin'; readonly count: number; readonly name: string; readonly startAfterMs: number }
  | { readonly type: 'counts' };

/** A process of `shared-backlog.ts`. Argument: the connection string. */
const { createWorkflow, WorkflowRuntime } = await importCore();
const { createPostgresStorage } = await importStorage();
const [connectionString = ''] = process.argv.slice(2);
const storage = createPostgresStorage({ connectionString, logger: silentLogger });
const counts = countClaims(storage.executions);
const workflow = createWorkflow({ id: 'backlog' }).andThen({ id: 'work', execute: () => delay(500, 1) });
// Few places for long executions, so that processes wait for places and not for the processor.
const queue = { concurrency: 20 };
const runtime = new WorkflowRuntime({ workflows: [workflow], storage, queue, services: { logger: silentLogger } });
runtime.start();
// The lease of this process is known to the others.
await delay(2_000);

process.on('message', (request: Request) => void answer(request));
process.on('disconnect', () => void end());
process.send?.('ready');

async function answer(request: Request): Promise<void> {
  if (request.type === 'begin') await begin(request);
  process.send?.(counts);
}

async function begin({ count, name, startAfterMs }: Extract<Request, { readonly type: 'begin' }>): Promise<void> {
  const ids = Array.from({ length: count }, (_, index) => `${name}-${index}`);
  const beginNext = async (): Promise<void> => {
    for (let id = ids.pop(); id !== undefined; id = ids.pop())
      await runtime.begin('backlog', null, { executionId: id, startAfterMs });
  };
  await Promise.all(Array.from({ length: 20 }, beginNext));
}

async function end(): Promise<void> {
  await runtime.stop(1_000);
  await storage.close();
}
