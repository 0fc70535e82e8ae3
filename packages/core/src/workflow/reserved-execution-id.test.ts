import { expect, it } from 'vitest';
import { createWorkflow } from './create-workflow.ts';
import { idOfTick } from './definition/workflow-schedule.ts';
import { isReservedExecutionId } from './reserved-execution-id.ts';
import { WorkflowKit } from './testing/workflow-kit.ts';

const report = createWorkflow({ id: 'report' })
  .andThen({ id: 'write', execute: () => 'written' })
  .schedule({ cron: '@monthly' })
  .schedule({ cron: '@daily', name: 'every.day' });

const isReserved = (id: string): boolean => isReservedExecutionId(id, [report]);

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
