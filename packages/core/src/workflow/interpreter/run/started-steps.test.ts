import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { expect, it } from 'vitest';
import { defaultServices } from '../../../agent/default-services.ts';
import { silentLogger } from '../../../testing/index.ts';
import { createWorkflow } from '../../create-workflow.ts';
import type { StepContext } from '../../definition/step-context.ts';
import { WorkflowRuntime } from '../../engine/workflow-runtime.ts';
import { andWorkflow } from '../../steps/and-workflow.ts';
import { countingStore } from '../../testing/counting-store.ts';

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
  const claimedAt = calls.indexOf('claimNext');
  const reads = calls.slice(claimedAt, calls.indexOf('commit', claimedAt));
  expect(reads.filter((name) => name !== 'find')).toEqual(['claimNext', 'events', 'histories']);
  const { executions } = await store.list('anyone', { parentExecutionId: executionId, limit: 100, offset: 0 });
  const histories = await store.histories(
    'anyone',
    executions.map(({ id }) => id),
    100,
  );
  const starts = [...histories.values()].map((events) => events.filter(({ event }) => event.type === 'step-start'));
  expect(starts.map(({ length }) => length)).toEqual(Array(50).fill(1));
});

it('reads large histories of sub-workflows in parts, and starts no step twice', async () => {
  const storage = createInMemoryStorage();
  const histories = storage.executions.histories.bind(storage.executions);
  let largest = 0;
  storage.executions.histories = async (...given) => {
    const found = await histories(...given);
    largest = Math.max(largest, JSON.stringify([...found.values()]).length);
    return found;
  };
  const large = createWorkflow({ id: 'large' }).andForEach({
    id: 'each',
    items: () => Array.from({ length: 8 }, (_, index) => `${index}${'x'.repeat(1_000_000)}`),
    concurrency: 8,
    step: andWorkflow({ id: 'sub', workflow: child }),
  });
  const services = { ...defaultServices(), logger: silentLogger };
  const runtime = new WorkflowRuntime({ workflows: [large], storage, services });
  runtime.startByHand();
  const { executionId } = await runtime.execute('large', null, {});
  const key = { owner: 'anyone', workflowId: 'large', executionId } as const;
  await runtime.resume(key, { resumeData: 'yes' });
  expect(await runtime.wait(key)).toMatchObject({ status: 'suspended' });

  expect(largest).toBeGreaterThan(1_000_000);
  expect(largest).toBeLessThan(5_000_000);
  const page = { parentExecutionId: executionId, limit: 100, offset: 0 };
  const { executions } = await storage.executions.list('anyone', page);
  expect(executions).toHaveLength(8);
  for (const { id } of executions) {
    const events = await storage.executions.events('anyone', id, { after: 0, limit: 100 });
    expect(events.filter(({ event }) => event.type === 'step-start')).toHaveLength(1);
  }
});
