import { InvalidInputError, silentLogger } from '@halyard/contracts';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createWorkflow } from '../create-workflow.ts';
import { WorkflowRuntime } from './workflow-runtime.ts';

const clock = { now: () => Date.now() };

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 1) });
});

afterEach(() => {
  vi.useRealTimers();
});

const order: string[] = [];
const workflow = createWorkflow({ id: 'note' }).andThen({
  id: 'write',
  execute: ({ data }) => {
    order.push(String(data));
    return data;
  },
});
const urgent = createWorkflow({ id: 'urgent', priority: 10 }).andThen({
  id: 'write',
  execute: ({ data }) => {
    order.push(String(data));
    return data;
  },
});

function runtimeOn(storage: ReturnType<typeof createInMemoryStorage>, concurrency = 256): WorkflowRuntime {
  return new WorkflowRuntime({
    workflows: [workflow, urgent],
    storage,
    queue: { concurrency },
    services: { clock, logger: silentLogger },
  });
}

it('starts a delayed execution when it is due, and waits for it when requested', async () => {
  const runtime = runtimeOn(createInMemoryStorage({ clock }));
  runtime.start();
  let isDone = false;
  const running = runtime.execute('note', 'later', { startAfterMs: 90_000 }).finally(() => {
    isDone = true;
  });
  await vi.advanceTimersByTimeAsync(89_000);
  expect(isDone).toBe(false);
  await vi.advanceTimersByTimeAsync(1_100);
  expect(await running).toMatchObject({ status: 'completed', result: 'later' });
  await runtime.stop(0);
});

it('starts a delayed execution in another process when the process that accepted it has died', async () => {
  const storage = createInMemoryStorage({ clock });
  const first = runtimeOn(storage);
  first.start();
  const executionId = await first.begin('note', 'later', { startAfterMs: 3_600_000 });
  await first.stop(0);
  const second = runtimeOn(storage);
  second.start();
  await vi.advanceTimersByTimeAsync(3_599_000);
  expect((await storage.executions.find('anyone', executionId))?.status).toBe('running');
  await vi.advanceTimersByTimeAsync(5_000);
  expect((await storage.executions.find('anyone', executionId))?.status).toBe('completed');
  await second.stop(0);
});

it('cancels a delayed execution before it starts', async () => {
  const storage = createInMemoryStorage({ clock });
  const runtime = runtimeOn(storage);
  runtime.start();
  const executionId = await runtime.begin('note', 'never', { startAfterMs: 3_600_000 });
  const key = { owner: 'anyone', workflowId: 'note', executionId } as const;
  const cancelled = runtime.cancel(key, 'changed my mind');
  await vi.advanceTimersByTimeAsync(2_000);
  expect((await cancelled).status).toBe('cancelled');
  expect(order).not.toContain('never');
  await runtime.stop(0);
});

it('starts waiting executions by priority: of the request, else of the workflow', async () => {
  order.length = 0;
  const runtime = runtimeOn(createInMemoryStorage({ clock }), 1);
  for (const [workflowId, input, priority] of [
    ['note', 'plain', undefined],
    ['note', 'low', -1],
    ['urgent', 'by its workflow', undefined],
    ['note', 'highest', 20],
    ['urgent', 'not urgent', 0],
  ] as const)
    await runtime.begin(workflowId, input, { priority });
  runtime.start();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(order.slice(0, 2)).toEqual(['highest', 'by its workflow']);
  expect(order.at(-1)).toBe('low');
  await runtime.stop(0);
});

it.each([{ priority: 0.5 }, { priority: 2_000 }, { startAfterMs: -1 }, { startAfterMs: Number.NaN }])(
  'refuses to start with %o',
  async (options) => {
    const runtime = runtimeOn(createInMemoryStorage({ clock }));
    await expect(runtime.begin('note', 1, options)).rejects.toThrow(InvalidInputError);
  },
);
