import { silentLogger } from '@halyard/contracts';
import { createWorkflow, shardedStorage, WorkflowRuntime } from '@halyard/core';
import { afterAll, describe, expect, it } from 'vitest';
import { serverOpener } from '../connection/open-pool.ts';
import { createPostgresStorage } from '../postgres-storage.ts';
import { describeConformance } from '../testing/conformance.ts';
import { describeSameAnswers } from '../testing/describe-same-answers.ts';
import { openForTests, type TestDatabase } from '../testing/open-for-test.ts';
import { type PostgresServer, startPostgresServer } from '../testing/postgres-server.ts';
import { retryWhileUnavailable } from '../testing/retry-while-unavailable.ts';
import { shardedForTests, asOnShards } from '../testing/sharded-for-tests.ts';

describe('two PostgreSQL servers as shards', () => {
  const shards = shardedForTests([openServer(), openServer()]);
  describeConformance(shards);
  describeSameAnswers(shards, { runs: 30, seed: 4, unordered: ['admit', 'publish'], adapt: asOnShards });
});

function openServer(): TestDatabase {
  let server: PostgresServer;
  afterAll(() => server.remove());
  return openForTests(async () => {
    server = await startPostgresServer({ fsync: false });
    return serverOpener({ connectionString: server.connectionString, maxConnections: 10, logger: silentLogger });
  });
}

describe('one of two PostgreSQL servers', () => {
  it('stops only its own executions while it is down, and ends them when it is up again', async () => {
    const servers = [await startPostgresServer({ fsync: false }), await startPostgresServer({ fsync: false })] as const;
    const logger = silentLogger;
    const storages = servers.map(({ connectionString }) => createPostgresStorage({ connectionString, logger }));
    const storage = shardedStorage(storages, { logger, silentAfterMs: 1_000 });
    const workflow = createWorkflow({ id: 'orders' })
      .andWaitForEvent({ id: 'wait', event: 'paid' })
      .andThen({ id: 'ship', execute: ({ data }) => data });
    const runtime = new WorkflowRuntime({ workflows: [workflow], storage, services: { logger }, leaseMs: 1_000 });
    try {
      await storage.opened?.();
      runtime.start();
      const ids = Array.from({ length: 20 }, (_, index) => `order-${index}`);
      await Promise.all(ids.map((executionId) => runtime.execute('orders', null, { executionId })));
      const stored = await servers[0].query('select id from halyard.executions');
      const own = stored.map((row) => String(Reflect.get(row, 'id')));
      expect(own.length).toBeGreaterThan(0);
      expect(own.length).toBeLessThan(ids.length);
      const ended = async (some: readonly string[]): Promise<void> => {
        const waits = some.map((executionId) => runtime.wait({ executionId, owner: 'anyone' }, { timeoutMs: 60_000 }));
        for (const { result, status } of await Promise.all(waits)) expect([status, result]).toEqual(['completed', 7]);
      };

      await servers[1].stop();
      const event = { name: 'paid', payload: 7, requestId: 'payment' };
      await expect(runtime.publish(event)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
      await ended(own);
      await storage.check();

      await servers[1].start();
      await retryWhileUnavailable(() => runtime.publish(event));
      await ended(ids);
    } finally {
      await runtime.stop(1_000);
      await storage.close();
      await Promise.all(servers.map((server) => server.remove()));
    }
  });
});
