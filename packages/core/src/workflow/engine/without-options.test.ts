import { InvalidInputError } from '@halyard/contracts';
import { expect, it } from 'vitest';
import { createWorkflow } from '../create-workflow.ts';
import { WorkflowKit } from '../testing/workflow-kit.ts';
import type { ExecutionKey } from './runtime-options.ts';

const order = createWorkflow({ id: 'order' }).andThen({
  id: 'ask',
  execute: ({ resumeData, suspend }) => (resumeData === undefined ? suspend('how many?') : 'ordered'),
});

async function started(): Promise<{ readonly kit: WorkflowKit; readonly key: ExecutionKey }> {
  const kit = new WorkflowKit(order);
  const executionId = await kit.runtime.begin('order', {});
  await kit.settle();
  return { kit, key: { owner: 'anyone', workflowId: 'order', executionId } };
}

it('starts executions without options', async () => {
  const { kit, key } = await started();
  expect(await kit.runtime.get(key)).toMatchObject({ status: 'suspended', priority: 0 });
  expect(await kit.runtime.execute('order', {})).toMatchObject({ status: 'suspended' });
  const { executionId } = await kit.runtime.stream('order', {});
  expect(await kit.runtime.wait({ owner: 'anyone', executionId })).toMatchObject({ status: 'suspended' });
});

it('resumes without options', async () => {
  const { kit, key } = await started();
  await kit.runtime.resume(key);
  expect(await kit.runtime.wait(key)).toMatchObject({ status: 'completed', result: 'ordered' });
});

it('suspends and cancels without a reason', async () => {
  const kit = new WorkflowKit(createWorkflow({ id: 'nap' }).andSleep({ id: 'sleep', durationMs: 1_000 }));
  const key = { owner: 'anyone', workflowId: 'nap', executionId: await kit.begin() } as const;
  expect((await kit.runtime.suspend(key)).suspensions).toMatchObject([{ reason: 'Suspended on request' }]);
  await kit.runtime.cancel(key);
  expect(await kit.events(key.executionId)).toContainEqual(
    expect.objectContaining({ type: 'workflow-cancelled', reason: 'Cancelled on request' }),
  );
});

it('names the step that a replay lacks', async () => {
  const { kit, key } = await started();
  const runtime: { readonly replay: (key: ExecutionKey, options?: object) => Promise<string> } = {
    replay: (...request) => Reflect.apply(kit.runtime.replay, kit.runtime, request) as Promise<string>,
  };
  const missing = new InvalidInputError('stepId is missing: the step to replay from');
  await expect(runtime.replay(key)).rejects.toThrow(missing);
  await expect(runtime.replay(key, {})).rejects.toThrow(missing);
  const workflow: { readonly replay: (id: string, options?: object) => Promise<unknown> } = {
    replay: (...request) => Reflect.apply(order.replay, order, request) as Promise<unknown>,
  };
  const { executionId } = await order.run({});
  await expect(workflow.replay(executionId)).rejects.toThrow(missing);
  await expect(workflow.replay(executionId, {})).rejects.toThrow(missing);
});
