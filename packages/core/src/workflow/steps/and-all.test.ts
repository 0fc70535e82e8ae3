import { expect, it } from 'vitest';
import { createWorkflow } from '../create-workflow.ts';
import { WorkflowKit } from '../testing/workflow-kit.ts';
import { andAll } from './and-all.ts';
import { andThen } from './and-then.ts';

it('keeps the data beside the results if asked to, also across a suspension', async () => {
  const checks = andAll({
    id: 'checks',
    keepData: true,
    steps: [
      andThen({ id: 'stock', execute: () => 5 }),
      andThen({ id: 'ask', execute: ({ resumeData, suspend }) => resumeData ?? suspend('May I?') }),
    ],
  });
  const kit = new WorkflowKit(
    createWorkflow({ id: 'w' })
      .andAll({ id: 'all', steps: [checks] })
      .andThen({ id: 'last', execute: ({ data }) => data }),
  );
  const { executionId, status } = await kit.run({ order: 1 });
  expect(status).toBe('suspended');
  const { result } = await kit.resume(executionId, true);
  expect(result).toEqual([{ data: { order: 1 }, results: [5, true] }]);
});
