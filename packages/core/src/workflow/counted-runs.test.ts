import { expect, it } from 'vitest';
import { createWorkflow } from './create-workflow.ts';
import { WorkflowRuntime } from './engine/workflow-runtime.ts';
import { CollectedMetrics } from './testing/collected-metrics.ts';
import { Gate } from './testing/gate.ts';
import { WorkflowKit } from './testing/workflow-kit.ts';
import type { AnyWorkflow } from './workflow.ts';

function counted(workflow: AnyWorkflow): { readonly kit: WorkflowKit; readonly metrics: CollectedMetrics } {
  const metrics = new CollectedMetrics();
  return { kit: new WorkflowKit(workflow).use({ metrics }), metrics };
}

it('counts each run of an execution, with the time that it took and without that in which it waited', async () => {
  const workflow = createWorkflow({ id: 'order' })
    .andThen({ id: 'price', execute: () => kit.clock.advance(250) })
    .andSleep({ id: 'pause', durationMs: 60_000 })
    .andThen({ id: 'approve', execute: ({ resumeData, suspend }) => resumeData ?? suspend('Say') });
  const { kit, metrics } = counted(workflow);
  const id = await kit.begin();
  await kit.advance(60_000);
  kit.clock.advance(3_600_000);
  await kit.resume(id, true);
  expect(metrics.executionRuns).toEqual([
    { workflowId: 'order', end: 'waiting', durationMs: 250 },
    { workflowId: 'order', end: 'suspended', durationMs: 0 },
    { workflowId: 'order', end: 'completed', durationMs: 0 },
  ]);
});

it('counts a failed and a cancelled execution', async () => {
  const failing = createWorkflow({ id: 'order' }).andThen({
    id: 'fail',
    execute: ({ data }) => (data === 'fail' ? Promise.reject(new RangeError('no')) : gate.pass({ signal })),
  });
  const gate = new Gate();
  const { signal } = new AbortController();
  const { kit, metrics } = counted(failing);
  await kit.run('fail');
  const id = await kit.begin('wait');
  await kit.cancel(id);
  expect(metrics.executionRuns.map(({ end }) => end)).toEqual(['error', 'cancelled']);
  gate.open();
});

it('counts an execution as lost where its lease ended, and as completed where it was taken over', async () => {
  const gate = new Gate();
  const workflow = createWorkflow({ id: 'order' }).andThen({ id: 'wait', execute: (context) => gate.pass(context) });
  const { kit, metrics } = counted(workflow);
  const id = await kit.begin();
  await kit.restart();
  expect(metrics.executionRuns).toEqual([]);
  gate.open();
  await kit.waitUntilIdle(id);
  await kit.settle();
  expect(metrics.executionRuns.map(({ end }) => end).toSorted((one, other) => one.localeCompare(other))).toEqual([
    'completed',
    'lost',
  ]);
});

it('counts an execution that is quarantined', async () => {
  const gate = new Gate();
  const workflow = createWorkflow({ id: 'deadly' }).andThen({ id: 'kill', execute: (context) => gate.pass(context) });
  const { kit, metrics } = counted(workflow);
  await kit.begin();
  for (let restarts = 0; restarts < 300 && metrics.quarantined.length === 0; restarts += 1) await kit.restart();
  expect(metrics.quarantined).toEqual(['deadly']);
});

it('knows how much is running and due', async () => {
  const gate = new Gate();
  const workflow = createWorkflow({ id: 'order' }).andThen({ id: 'wait', execute: (context) => gate.pass(context) });
  const { kit } = counted(workflow);
  const { clock, services, storage } = kit;
  // Not started, so it runs nothing.
  const idle = new WorkflowRuntime({ workflows: [workflow], storage, services });
  expect(idle.load).toEqual({ running: 0, due: 0, oldestDueMs: 0 });
  for (let count = 0; count < 3; count += 1) {
    await idle.begin('order', null, {});
    clock.advance(1_000);
  }
  await idle.sweep();
  expect(idle.load).toEqual({ running: 0, due: 3, oldestDueMs: 3_000 });

  await kit.runtime.sweep();
  await kit.settle();
  expect(kit.runtime.load).toMatchObject({ running: 3, due: 0 });
  await idle.sweep();
  expect(idle.load).toMatchObject({ due: 0, oldestDueMs: 0 });
  gate.open();
  await kit.settle();
  expect(kit.runtime.load.running).toBe(0);
});
