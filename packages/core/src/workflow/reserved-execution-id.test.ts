import { describe, expect, it } from 'vitest';
import { createWorkflow } from './create-workflow.ts';
import { idOfTick } from './definition/workflow-schedule.ts';
import { isReservedExecutionId } from './reserved-execution-id.ts';
import { WorkflowKit } from './testing/workflow-kit.ts';

const report = createWorkflow({ id: 'report' })
  .andThen({ id: 'write', execute: () => 'written' })
  .schedule({ cron: '@monthly' })
  .schedule({ cron: '@daily', name: 'every.day' });

const isReserved = (id: string): boolean => isReservedExecutionId(id, [report], 'report');

it('reserves the ids of the ticks of schedules', () => {
  const tick = new Date('2026-01-01T00:00:00Z');
  for (const { rule } of report.schedules) expect(isReserved(idOfTick(rule, tick))).toBe(true);
  // Another version of the app may have this schedule.
  expect(isReserved('report:weekly:2026-01-01T00:00:00Z')).toBe(true);
});

it('reserves the ids of bulk operations', async () => {
  const { bulk } = new WorkflowKit(report).runtime;
  const { bulkId } = await bulk.start({ operation: 'retry', all: true, requestId: 'outage-17' });
  expect(isReserved(bulkId)).toBe(true);
});

it.each([
  'report',
  'report:1',
  'bulk-1',
  'bulk-of-ada',
  'order:schedule:2026-01-01T00:00:00Z',
  'report:schedule:2026-01-01',
  'report:a:b:2026-01-01T00:00:00Z',
])('leaves %s to requests', (id) => {
  expect(isReserved(id)).toBe(false);
});

describe('ids of workflows that users may not start', () => {
  const order = createWorkflow({ id: 'order', access: 'server' }).andThen({ id: 'ship', execute: () => 'shipped' });
  const status = createWorkflow({ id: 'order-status' });
  const audit = createWorkflow({ id: 'order-audit', access: 'operators' });
  const all = [report, order, status, audit];

  it.each([
    'order-18',
    'order:18',
    'order.18',
    'order_18',
    'order-',
    'order-audit-1',
    'order-audit:2',
    'order-statusx',
  ])('reserves %s for that workflow', (id) => {
    for (const { id: workflowId } of [report, status]) expect(isReservedExecutionId(id, all, workflowId)).toBe(true);
  });

  it('leaves an id to the workflow with the longest id that it begins with', () => {
    expect(isReservedExecutionId('order-status-1', all, 'order-status')).toBe(false);
    expect(isReservedExecutionId('order-18', all, 'order')).toBe(false);
    expect(isReservedExecutionId('order-audit-1', all, 'order')).toBe(true);
    expect(isReservedExecutionId('order-audit-1', all, 'order-audit')).toBe(false);
  });

  it.each(['order', 'orders-1', 'order18', 'order/18', 'Order-18', 'my-order-18'])('leaves %s to everyone', (id) => {
    expect(isReservedExecutionId(id, all, 'report')).toBe(false);
  });

  it('gives its executions no other ids that a caller has chosen', async () => {
    const { runtime } = new WorkflowKit(order, status);
    for (const executionId of ['18', 'order', 'orders-18', 'order-status-18']) {
      await expect(runtime.begin('order', {}, { executionId })).rejects.toThrow(
        expect.objectContaining({
          kind: 'invalid-input',
          message: expect.stringContaining('executionId must begin with one of "order-", "order:", "order.", "order_"'),
        }),
      );
      expect(await runtime.begin('order-status', {}, { executionId })).toBe(executionId);
    }
    expect(await runtime.begin('order', {}, { executionId: 'order-18' })).toBe('order-18');
    expect(await runtime.begin('order', {})).not.toContain('order');
  });

  it('gives them the ids of schedules, sub-workflows and started executions', async () => {
    const daily = createWorkflow({ id: 'daily', access: 'server' })
      .andThen({ id: 'write', execute: () => 'written' })
      .schedule({ cron: '@daily' });
    const parent = createWorkflow({ id: 'parent' })
      .andWorkflow({ id: 'inner', workflow: order })
      .andStart({ id: 'start', workflow: daily });
    const kit = new WorkflowKit(parent, order, daily, createWorkflow({ id: 'daily:schedule' }));
    expect(await kit.run({})).toMatchObject({ status: 'completed' });
    for (const { rule } of daily.schedules) {
      const executionId = idOfTick(rule, new Date('2026-01-01T00:00:00Z'));
      expect(await kit.runtime.begin('daily', {}, { executionId })).toBe(executionId);
    }
  });
});
