import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { expect, it } from 'vitest';
import { defaultServices } from '../../../services/default-services.ts';
import { silentLogger } from '../../../testing/index.ts';
import { createWorkflow } from '../../create-workflow.ts';
import type { StepContext } from '../../definition/step-context.ts';
import { andWorkflow } from '../../steps/and-workflow.ts';
import { countingStore } from '../../testing/counting-store.ts';
import { WorkflowRuntime } from '../workflow-runtime.ts';

const child = createWorkflow({ id: 'child' }).andThen({
  id: 'ask',
  execute: ({ data, resumeData, suspend }: StepContext<unknown>) => resumeData ?? suspend(String(data)),
});
const parent = createWorkflow({ id: 'parent' }).andForEach({
  id: 'each',
  items: () => Array.from({ length: 50 }, (_, index) => index),
  concurrency: 50,
  step: andWorkflow({ id: 'sub', workflow: child }),
});

it('continues an execution with 50 sub-workflows after three reads, and starts no step twice', async () => {
  const storage = createInMemoryStorage();
  const { calls, store } = countingStore(storage.executions);
  const services = { ...defaultServices(), logger: silentLogger };
  const runtime = new WorkflowRuntime({ workflows: [parent], storage: { ...storage, executions: store }, services });
  runtime.startByHand();
  const { executionId } = await runtime.execute('parent', null, {});
  const key = { owner: 'anyone', workflowId: 'parent', executionId } as const;

  calls.length = 0;
  await runtime.resume(key, { resumeData: 'yes' });
  const result = await runtime.wait(key);

  expect(result.status).toBe('suspended');
  const claimedAt = calls.indexOf('claim');
  const reads = calls.slice(claimedAt, calls.indexOf('commit', claimedAt));
  expect(reads.filter((name) => name !== 'find')).toEqual(['claim', 'events', 'histories']);
  const { executions } = await store.list('anyone', { parentExecutionId: executionId, limit: 100, offset: 0 });
  const histories = await store.histories(
    'anyone',
    executions.map(({ id }) => id),
    100,
  );
  const starts = [...histories.values()].map((events) => events.filter(({ event }) => event.type === 'step-start'));
  expect(starts.map(({ length }) => length)).toEqual(Array(50).fill(1));
});
