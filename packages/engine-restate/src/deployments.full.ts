import type { EngineStorage } from '@halyard/contracts';
import { createWorkflow, WorkflowRuntime } from '@halyard/core';
import type { WorkflowDefinition } from '@halyard/core/server';
import { silentLogger } from '@halyard/core/testing';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createRestateEngine } from './create-restate-engine.ts';
import { IngressClient } from './ingress-client.ts';
import { findRegistration } from './register-deployment.ts';
import { freePorts, RestateServer } from './testing/restate-server.ts';

let server: RestateServer;
const opened: EngineStorage[] = [];

beforeEach(async () => {
  server = await RestateServer.start();
});
afterEach(async () => {
  for (const storage of opened.splice(0)) await storage.executions.disconnect();
  await server?.close();
});

/** Processes of one version of the app, at an address of their own. */
async function deploy(port: number, workflows: readonly WorkflowDefinition[]): Promise<WorkflowRuntime> {
  const engine = createRestateEngine({ ingress: server.ingress, serve: { port, host: '127.0.0.1' } });
  const storage = await engine.open(createInMemoryStorage(), { logger: silentLogger });
  opened.push(storage);
  const runtime = new WorkflowRuntime({ workflows, storage, services: { logger: silentLogger } });
  runtime.start();
  await server.register(port);
  return runtime;
}

const key = (executionId: string) => ({ owner: 'anyone', workflowId: 'order', executionId }) as const;

it('lets a new deployment run what starts or continues, and the old one finish what it runs', async () => {
  const [first, second] = await freePorts();
  const allowed = Promise.withResolvers<void>();
  let isRunning = false;
  const version = (name: string) =>
    createWorkflow({ id: 'order', name: 'Order', purpose: 'Takes an order' })
      .andThen({
        id: 'work',
        execute: async ({ input }) => {
          if (input === 'slow') {
            isRunning = true;
            await allowed.promise;
          }
          return name;
        },
      })
      .andThen({
        id: 'approve',
        execute: ({ data, resumeData, suspend }) => (resumeData ? data : suspend('needs approval')),
      })
      .andThen({ id: 'last', execute: async ({ data }) => [data, name] });
  const runtime = await deploy(first, [version('old')]);
  await runtime.begin('order', 'slow', { executionId: 'runs' });
  await runtime.execute('order', 'quick', { executionId: 'waits' });
  await vi.waitFor(() => expect(isRunning).toBe(true), 60_000);

  const later = await deploy(second, [version('new')]);
  expect((await findRegistration(server.admin)).deployments).toEqual([`http://127.0.0.1:${second}/`]);
  await later.execute('order', 'quick', { executionId: 'starts' });
  allowed.resolve();
  await later.wait(key('runs'));
  for (const id of ['runs', 'waits', 'starts']) await later.resume(key(id), { resumeData: true });
  const results: unknown[] = [];
  for (const id of ['runs', 'waits', 'starts']) results.push((await later.wait(key(id), { until: 'ended' })).result);
  expect(results).toEqual([
    ['old', 'new'],
    ['old', 'new'],
    ['new', 'new'],
  ]);

  // Nothing is left on the old deployment: it can go.
  const busy = `select id from sys_invocation_status where status in ('invoked', 'suspended') and pinned_deployment_id in (select id from sys_deployment where endpoint like '%:${first}/')`;
  await vi.waitFor(async () => expect(await server.query(busy)).toEqual([]), 60_000);
  await opened[0]?.executions.disconnect();
  expect(await later.execute('order', 'quick', { executionId: 'after' })).toMatchObject({ status: 'suspended' });
});

it('quarantines an execution whose processes end without a commit, until somebody resumes it', async () => {
  const [port] = await freePorts();
  let isBroken = true;
  let begun = 0;
  const fragile = createWorkflow({ id: 'order', name: 'Order', purpose: 'Ends its process' }).andThen({
    id: 'work',
    execute: async () => {
      begun += 1;
      if (isBroken) await new Promise<never>(() => {});
      return 'done';
    },
  });
  const runtime = await deploy(port, [fragile]);
  await runtime.begin('order', {}, { executionId: 'one' });
  await vi.waitFor(() => expect(begun).toBe(1), 60_000);
  // Eight more attempts of Restate, in processes that died.
  const client = new IngressClient(server.ingress);
  const attempts = [2, 3, 4, 5, 6, 7, 8, 9].map((attempt) => ({ ticket: 1, attempt }));
  for (const delivery of attempts)
    await client.call('execution', 'one', 'claim', {
      runner: 'died',
      definitions: null,
      claimId: `${delivery.attempt}`,
      delivery,
      awakeable: null,
      maxClaims: null,
    });
  await client.call('execution', 'one', 'left', { delivery: { ticket: 1, attempt: 9 }, delayMs: 0 });
  // The run of the first attempt still waits in this process.
  const running = "select id from sys_invocation where target_service_name = 'HalyardRunner' and status = 'running'";
  for (const { id } of await server.query<{ readonly id: string }>(running))
    await fetch(`${server.admin}/invocations/${id}/kill`, { method: 'PATCH' });
  await vi.waitFor(async () => expect((await runtime.get(key('one'))).quarantinedAt).not.toBeNull(), 60_000);
  expect(begun).toBe(1);

  isBroken = false;
  await runtime.resume(key('one'));
  expect(await runtime.wait(key('one'), { until: 'ended' })).toMatchObject({ status: 'completed', result: 'done' });
});
