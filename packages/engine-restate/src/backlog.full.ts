import { createWorkflow, WorkflowRuntime } from '@halyard/core';
import { silentLogger } from '@halyard/core/testing';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { expect, it, onTestFinished } from 'vitest';
import { createRestateEngine } from './create-restate-engine.ts';
import { freePorts, RestateServer } from './testing/restate-server.ts';

it('completes more executions than Restate calls handlers at the same time', async () => {
  const server = await RestateServer.start({
    env: { RESTATE_WORKER__INVOKER__CONCURRENT_INVOCATIONS_LIMIT: '50', RESTATE_DEFAULT_NUM_PARTITIONS: '1' },
  });
  onTestFinished(() => server.close());
  const [port] = await freePorts();
  const engine = createRestateEngine({ ingress: server.ingress, serve: { port, host: '127.0.0.1' } });
  const storage = await engine.open(createInMemoryStorage(), { logger: silentLogger });
  onTestFinished(() => storage.executions.disconnect());
  await server.register(port);
  const allBegun = Promise.withResolvers<void>();
  const two = createWorkflow({ id: 'two', name: 'Two', purpose: 'Waits until all have begun' })
    .andThen({ id: 'a', execute: () => allBegun.promise })
    .andThen({ id: 'b', execute: async () => 'b' });
  const services = { logger: silentLogger };
  const runtime = new WorkflowRuntime({ workflows: [two], storage, services, queue: { concurrency: 4 } });
  runtime.start();
  const ids: string[] = [];
  while (ids.length < 70) ids.push(await runtime.begin('two', {}));
  allBegun.resolve();
  for (const executionId of ids)
    expect(await runtime.wait({ owner: 'anyone', executionId }, { until: 'ended' })).toMatchObject({
      status: 'completed',
    });
});
