import { silentLogger, type Storage } from '@halyard/contracts';
import { andThen, createWorkflow, WorkflowRuntime } from '@halyard/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPostgresStorage } from '../postgres-storage.ts';
import { type PostgresServer, startPostgresServer } from '../testing/postgres-server.ts';

const anything = { type: 'object' } as const;

describe('workflows on a PostgreSQL server', () => {
  let server: PostgresServer;
  const closing: (() => Promise<void>)[] = [];
  const ran: string[] = [];

  const workflow = createWorkflow({
    id: 'order',
    name: 'Order',
    purpose: 'Takes an order',
    input: anything,
    result: anything,
  })
    .andThen({
      id: 'price',
      execute: async () => {
        ran.push('price');
        return { total: 7 };
      },
    })
    .andAll({
      id: 'checks',
      steps: ['stock', 'credit'].map((id) =>
        andThen({
          id,
          execute: async () => {
            ran.push(id);
            return { [id]: true };
          },
        }),
      ),
    })
    .andThen({
      id: 'approve',
      execute: async ({ data, resumeData, suspend }) =>
        resumeData === undefined ? suspend('needs approval') : { data, resumeData },
    })
    .andSleep({ id: 'nap', durationMs: 30 })
    .andThen({ id: 'ship', execute: async ({ data }) => ({ shipped: true, data }) });

  beforeAll(async () => {
    server = await startPostgresServer({ fsync: false });
  });
  afterAll(async () => {
    for (const close of closing) await close();
    await server.remove();
  });

  /** The storage and the runtime of one process. */
  const startProcess = (): {
    readonly runtime: WorkflowRuntime;
    readonly storage: Storage;
    readonly die: () => Promise<void>;
  } => {
    const storage = createPostgresStorage({
      connectionString: server.connectionString,
      maxConnections: 4,
      logger: silentLogger,
    });
    const runtime = new WorkflowRuntime({
      workflows: [workflow],
      storage,
      leaseMs: 900,
      services: { logger: silentLogger },
    });
    runtime.start();
    const die = async (): Promise<void> => {
      await runtime.stop(1_000);
      await storage.close();
    };
    closing.push(die);
    return { runtime, storage, die };
  };

  it('suspend in one process, resume in another, sleep, and end in any of them', async () => {
    const [one, other] = [startProcess(), startProcess()];
    const run = await one.runtime.execute('order', { order: 1 }, {});
    expect(run.status).toBe('suspended');
    const key = { owner: 'anyone', workflowId: 'order', executionId: run.executionId } as const;
    await other.runtime.resume(key, { resumeData: { by: 'ada' } });
    await expect.poll(async () => (await one.runtime.get(key)).status, { timeout: 120_000 }).toBe('completed');
    expect((await other.runtime.get(key)).output).toMatchObject({ shipped: true, data: { resumeData: { by: 'ada' } } });
    expect(ran.toSorted()).toEqual(['credit', 'price', 'stock']);
    const events = await one.storage.executions.events('anyone', run.executionId, { after: 0, limit: 99 });
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  });

  it('do not take an answer to a deleted execution for a later one with its id', async () => {
    const { runtime, storage } = startProcess();
    const key = { owner: 'anyone', workflowId: 'order', executionId: 'order-17' } as const;
    const start = () => runtime.execute('order', {}, { executionId: key.executionId, userId: 'ada' });
    const old = await start();
    await storage.users.delete('ada');
    const late = await start();
    const suspensionId = old.suspension?.suspensionId;
    await expect(runtime.resume(key, { suspensionId, resumeData: { by: 'ada' } })).rejects.toMatchObject({
      code: 'SUSPENSION_NOT_PENDING',
    });
    expect(late.suspension?.suspensionId).toMatch(/^1\.1-[0-9a-f]{8}$/u);
  });

  it('continue in another process when one has stopped and the server has crashed', async () => {
    const [one, other] = [startProcess(), startProcess()];
    const runs = await Promise.all(Array.from({ length: 20 }, () => one.runtime.execute('order', {}, {})));
    await one.die();
    await server.crash();
    const answered = runs.map(({ executionId }) =>
      expect
        .poll(
          () =>
            other.runtime
              .resume({ owner: 'anyone', workflowId: 'order', executionId }, { resumeData: { by: 'ben' } })
              .then(
                () => 'resumed',
                () => 'not yet',
              ),
          { timeout: 120_000 },
        )
        .toBe('resumed'),
    );
    await Promise.all(answered);
    const statusOf = async (executionId: string): Promise<string | undefined> =>
      (await other.storage.executions.find('anyone', executionId))?.status;
    await expect
      .poll(async () => new Set(await Promise.all(runs.map(({ executionId }) => statusOf(executionId)))), {
        timeout: 120_000,
      })
      .toEqual(new Set(['completed']));
  });

  it('do not delay a shutdown when the server is down, as nothing can be saved', async () => {
    const storage = createPostgresStorage({ connectionString: server.connectionString, logger: silentLogger });
    const started = Promise.withResolvers<AbortSignal>();
    const slow = createWorkflow({ id: 'slow' }).andThen({
      id: 'wait',
      execute: ({ signal }) => {
        started.resolve(signal);
        return new Promise(() => {});
      },
    });
    const hour = 3_600_000;
    const runtime = new WorkflowRuntime({
      workflows: [slow],
      storage,
      leaseMs: hour,
      services: { logger: silentLogger },
    });
    runtime.start();
    await runtime.begin('slow', {});
    const signal = await started.promise;
    await server.stop();
    try {
      await runtime.stop(hour);
      expect(signal.aborted).toBe(true);
      await storage.close();
    } finally {
      await server.start();
    }
  });
});
