import type { EngineStorage, ExecutionStatus } from '@halyard/contracts';
import { andThen, createWorkflow, WorkflowRuntime } from '@halyard/core';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createRestateEngine } from './create-restate-engine.ts';
import { freePorts, RestateServer } from './testing/restate-server.ts';

let server: RestateServer;
let storage: EngineStorage;
let runtime: WorkflowRuntime;

const order = createWorkflow({ id: 'order', name: 'Order', purpose: 'Takes an order' })
  .andThen({ id: 'price', execute: async () => ({ total: 2 }) })
  .andAll({
    id: 'checks',
    steps: [andThen({ id: 'a', execute: async () => 'a' }), andThen({ id: 'b', execute: async () => 'b' })],
  })
  .andThen({ id: 'approve', execute: ({ resumeData, suspend }) => resumeData ?? suspend('needs approval') })
  .andSleep({ id: 'nap', durationMs: 200 })
  .andThen({ id: 'last', execute: async ({ data }) => data });

const long = createWorkflow({ id: 'long', name: 'Long', purpose: 'Waits until it is cancelled' }).andThen({
  id: 'wait',
  execute: ({ signal }) =>
    new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(new Error('stopped')));
    }),
});

const paid = createWorkflow({ id: 'paid', name: 'Paid', purpose: 'Waits for an event' }).andWaitForEvent({
  id: 'pay',
  event: 'paid',
  key: 'o-1',
});

const limited = createWorkflow({
  id: 'limited',
  name: 'Limited',
  purpose: 'Runs one at a time',
  concurrency: { key: () => 'all', limit: 1 },
}).andThen({
  id: 'work',
  execute: async () => {
    running += 1;
    mostRunning = Math.max(mostRunning, running);
    await new Promise((resolve) => setTimeout(resolve, 20));
    running -= 1;
    return 'done';
  },
});
let running = 0;
let mostRunning = 0;

beforeAll(async () => {
  server = await RestateServer.start();
  const [port] = await freePorts();
  const engine = createRestateEngine({ ingress: server.ingress, serve: { port, host: '127.0.0.1' } });
  storage = await engine.open(createInMemoryStorage(), { logger: silent });
  await server.register(port);
  runtime = new WorkflowRuntime({ workflows: [order, long, paid, limited], storage, services: { logger: silent } });
  runtime.start();
});

afterAll(async () => {
  await runtime?.stop(1_000);
  await storage?.executions.disconnect();
  await server?.close();
});

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

function keyOf(workflowId: string, executionId: string) {
  return { owner: 'anyone', workflowId, executionId } as const;
}

it('runs parallel steps, suspends, resumes, sleeps and ends', async () => {
  const { executionId, status } = await runtime.execute('order', {});
  expect(status).toBe('suspended');
  const key = keyOf('order', executionId);
  await runtime.resume(key, { resumeData: { by: 'ada' } });
  expect(await runtime.wait(key, { until: 'ended' })).toMatchObject({ status: 'completed', result: { by: 'ada' } });
  const events = await storage.executions.events('anyone', executionId, { after: 0, limit: 100 });
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
});

it('rewinds to an earlier step', async () => {
  const { executionId } = await runtime.execute('order', {});
  const key = keyOf('order', executionId);
  await runtime.resume(key, { stepId: 'price' });
  expect((await runtime.wait(key)).status).toBe('suspended');
  await runtime.resume(key, { resumeData: 'again' });
  expect(await runtime.wait(key, { until: 'ended' })).toMatchObject({ status: 'completed', result: 'again' });
});

it('tells a running step that its execution was cancelled', async () => {
  const executionId = await runtime.begin('long', {});
  const key = keyOf('long', executionId);
  await vi.waitFor(async () => expect((await runtime.get(key)).runner).not.toBeNull(), 30_000);
  expect((await runtime.cancel(key)).status).toBe('cancelled');
});

it('delivers a published event to an execution that waits for it', async () => {
  const { executionId } = await runtime.execute('paid', {});
  const key = keyOf('paid', executionId);
  await vi.waitFor(async () => {
    await runtime.publish({ name: 'paid', key: 'o-1', payload: { euros: 3 }, requestId: 'payment' });
    expect((await runtime.get(key)).status).toBe('completed');
  }, 30_000);
});

it('runs no more executions of a concurrency key than its limit', async () => {
  const ids = await Promise.all(Array.from({ length: 6 }, () => runtime.begin('limited', {})));
  for (const id of ids) expect((await runtime.wait(keyOf('limited', id), { until: 'ended' })).status).toBe('completed');
  expect(mostRunning).toBe(1);
});

it('lists executions, by status, and deletes those of a user', async () => {
  const { executionId } = await runtime.execute('order', {}, { userId: 'ada' });
  const idsOf = async (status: ExecutionStatus): Promise<readonly string[]> => {
    const { executions } = await runtime.list({ owner: { user: 'ada' }, status });
    return executions.map(({ id }) => id);
  };
  await vi.waitFor(async () => expect(await idsOf('suspended')).toEqual([executionId]), 30_000);
  expect(await storage.users.delete('ada')).toMatchObject({ executions: 1 });
  expect(await storage.executions.find('anyone', executionId)).toBeUndefined();
  expect(await idsOf('suspended')).toEqual([]);
});
