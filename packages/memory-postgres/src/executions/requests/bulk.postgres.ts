import { silentLogger, type Storage } from '@halyard/contracts';
import { createWorkflow, WorkflowRuntime } from '@halyard/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPostgresStorage } from '../../postgres-storage.ts';
import { type ServerDatabase, createServerDatabase } from '../../testing/server-database.ts';

const count = 1_000;

describe('a bulk operation on a PostgreSQL server', () => {
  let server: ServerDatabase;
  const closing: (() => Promise<void>)[] = [];
  let isDown = true;
  /** How often the step of each execution ran after the outage. */
  const runs = new Map<string, number>();

  const workflow = createWorkflow({ id: 'transfer' }).andThen({
    id: 'send',
    execute: ({ state: { executionId } }) => {
      if (isDown) throw new TypeError('down');
      runs.set(executionId, (runs.get(executionId) ?? 0) + 1);
      return 'sent';
    },
  });

  beforeAll(async () => {
    server = await createServerDatabase();
  });
  afterAll(async () => {
    for (const close of closing) await close();
    await server.remove();
  });

  const startProcess = (): { readonly runtime: WorkflowRuntime; readonly storage: Storage } => {
    const { connectionString } = server;
    const storage = createPostgresStorage({ connectionString, maxConnections: 4, logger: silentLogger });
    const runtime = new WorkflowRuntime({
      workflows: [workflow],
      storage,
      leaseMs: 5_000,
      services: { logger: silentLogger },
    });
    runtime.start();
    closing.push(async () => {
      await runtime.stop(0);
      await storage.close();
    });
    return { runtime, storage };
  };

  it('retries 1 000 failed executions once, though the process that runs it loses the database', async () => {
    const [first, second] = [startProcess(), startProcess()];
    // A storage refuses calls that wait too long for others, as a thousand at once do on a busy
    // machine.
    for (let begun = 0; begun < count; begun += 100) {
      const batch = Array.from({ length: 100 }, (_, index) => begun + index);
      await Promise.all(batch.map((index) => first.runtime.execute('transfer', { index }, {})));
    }
    isDown = false;
    const filter = { workflowId: 'transfer', status: 'error' } as const;
    expect(await second.runtime.bulk.preview({ filter })).toMatchObject({ matched: count });
    const { bulkId } = await first.runtime.bulk.start({ operation: 'retry', filter, requestId: 'outage' });
    await expect
      .poll(async () => (await second.runtime.bulk.get(bulkId)).succeeded, { interval: 5 })
      .toBeGreaterThan(0);
    await first.storage.close();
    expect(await second.runtime.bulk.get(bulkId)).toMatchObject({ status: 'running' });
    expect((await second.runtime.bulk.start({ operation: 'retry', filter, requestId: 'outage' })).bulkId).toBe(bulkId);

    const report = await second.runtime.bulk.wait(bulkId);
    expect(report).toMatchObject({ status: 'completed', matched: count, succeeded: count, skipped: 0, failed: 0 });
    const page = { parentExecutionId: null, workflowId: 'transfer', limit: 2 * count, offset: 0 };
    const completed = async (): Promise<number> =>
      (await second.storage.executions.list('anyone', { ...page, status: 'completed', limit: 1 })).total;
    await expect.poll(completed, { timeout: 120_000 }).toBe(count);
    const { executions } = await second.storage.executions.list('anyone', page);
    expect(executions).toHaveLength(count);
    for (const { rewinds } of executions) expect(rewinds).toHaveLength(1);
    expect(runs.size).toBe(count);
  });

  it('skips executions whose state does not allow it, and replays each once', async () => {
    const { runtime, storage } = startProcess();
    const filter = { workflowId: 'transfer' } as const;
    const cancel = await runtime.bulk.start({ operation: 'cancel', filter });
    expect(await runtime.bulk.wait(cancel.bulkId)).toMatchObject({ succeeded: 0, skipped: count });
    const replay = await runtime.bulk.start({ operation: 'replay', stepId: 'send', filter });
    expect(await runtime.bulk.wait(replay.bulkId)).toMatchObject({ succeeded: count, skipped: 0, failed: 0 });
    const page = { parentExecutionId: null, workflowId: 'transfer', limit: 1, offset: 0 };
    expect((await storage.executions.list('anyone', page)).total).toBe(2 * count);
  });
});
