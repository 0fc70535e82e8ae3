import { silentLogger } from '@halyard/contracts';
import { type AnyWorkflow, createWorkflow, WorkflowRuntime } from '@halyard/core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createPostgresStorage } from '../postgres-storage.ts';
import { createServerDatabase, type ServerDatabase } from '../testing/server-database.ts';

let server: ServerDatabase;
const closing: (() => Promise<void>)[] = [];
beforeAll(async () => {
  server = await createServerDatabase();
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
afterAll(() => server.remove());

it('answers from a replica without a free slot when another one has finished', async () => {
  const held = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  const workflow = createWorkflow({ id: 'slots', input: { type: 'object' } }).andThen({
    id: 'work',
    execute: async ({ input }) => {
      if (!('isLong' in (input as object))) return 'made';
      started.resolve();
      await held.promise;
      return 'late';
    },
  });
  const busy = start(workflow, 1);
  await busy.begin('slots', { isLong: true });
  await started.promise;
  start(workflow, 1);
  const results = await Promise.all([0, 1, 2].map(() => busy.execute('slots', {})));
  expect(results.map(({ result }) => result)).toEqual(['made', 'made', 'made']);
  held.resolve();
});

it('continues an execution in another replica while a hook of the first never settles', async () => {
  const suspendedIn = Promise.withResolvers<number>();
  const replicas = [0, 1].map((replica) => {
    const onSuspend = (): Promise<void> => {
      suspendedIn.resolve(replica);
      return Promise.withResolvers<void>().promise;
    };
    const workflow = createWorkflow({
      id: 'hooked',
      input: { type: 'object' },
      hooks: { onSuspend },
      hookTimeoutMs: 3_600_000,
    }).andThen({ id: 'ask', execute: ({ resumeData, suspend }) => resumeData ?? suspend('needs an answer') });
    return start(workflow, 1);
  });
  const [one = expect.fail()] = replicas;
  const executionId = await one.begin('hooked', {});
  const other = replicas[1 - (await suspendedIn.promise)] ?? expect.fail();
  const key = { owner: 'anyone', workflowId: 'hooked', executionId } as const;
  await other.resume(key, { resumeData: { by: 'ada' } });
  expect(await other.wait(key, { until: 'ended' })).toMatchObject({ status: 'completed', result: { by: 'ada' } });
});

function start(workflow: AnyWorkflow, concurrency: number): WorkflowRuntime {
  const storage = createPostgresStorage({
    connectionString: server.connectionString,
    maxConnections: 4,
    logger: silentLogger,
  });
  const runtime = new WorkflowRuntime({
    workflows: [workflow],
    storage,
    queue: { concurrency },
    services: { logger: silentLogger },
  });
  runtime.start();
  closing.push(async () => {
    await runtime.stop(0);
    await storage.close();
  });
  return runtime;
}
