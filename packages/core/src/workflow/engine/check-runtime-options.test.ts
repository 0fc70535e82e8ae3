import { ConfigurationError } from '@halyard/contracts';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { expect, it } from 'vitest';
import { createWorkflow } from '../create-workflow.ts';
import { WorkflowRuntime } from './workflow-runtime.ts';

const storage = createInMemoryStorage();
const order = createWorkflow({ id: 'order' }).andThen({ id: 'confirm', execute: () => 'ok' });

it.each([
  [{ storage }, 'WorkflowRuntime needs the option `workflows`, a list'],
  [
    { workflows: [order] },
    'WorkflowRuntime needs the option `storage`, such as the result of createInMemoryStorage or createPostgresStorage',
  ],
])('refuses options with which nothing can run: %#', (options, message) => {
  expect(() => new WorkflowRuntime(options as never)).toThrow(new ConfigurationError(message));
});

it('refuses two workflows with one id: executions of the one would run the steps of the other', () => {
  const other = createWorkflow({ id: 'order' }).andThen({ id: 'refuse', execute: () => 'no' });
  expect(() => new WorkflowRuntime({ workflows: [order, other], storage })).toThrow(
    new ConfigurationError('Two workflows have the id "order"'),
  );
});
