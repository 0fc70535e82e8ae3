import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { afterEach, expect, it } from 'vitest';
import { defaultServices } from '../agent/default-services.ts';
import { silentLogger } from '../testing/index.ts';
import { createWorkflow } from './create-workflow.ts';
import { WorkflowRuntime } from './engine/workflow-runtime.ts';

const large = 'x'.repeat(2_000);
let runtime: WorkflowRuntime;
let storage: ReturnType<typeof createInMemoryStorage>;
afterEach(() => runtime.stop(1_000));

const workflow = createWorkflow({ id: 'orders' })
  .andThen({
    id: 'first',
    execute: ({ bail, data, setWorkflowState, suspend, writer }) => {
      switch (data) {
        case 'ask':
          return data;
        case 'output':
          return large;
        case 'state':
          setWorkflowState({ a: 'x'.repeat(600) });
          setWorkflowState({ b: 'x'.repeat(600) });
          return 'done';
        case 'suspend':
          return suspend('wait', large);
        case 'bail':
          return bail(large);
        case 'event':
          writer.write({ type: 'custom-note', large });
          return 'done';
        default:
          return 'done';
      }
    },
  })
  .andThen({
    id: 'second',
    execute: ({ data, resumeData, suspend }) => (data === 'ask' && resumeData === undefined ? suspend('wait') : data),
  });

function start(input: unknown, options: object = {}) {
  storage = createInMemoryStorage();
  runtime = new WorkflowRuntime({
    workflows: [workflow],
    storage,
    services: { ...defaultServices(), logger: silentLogger, executionValueBytes: 1_000 },
  });
  runtime.start();
  return runtime.begin('orders', input, options);
}

it.each([
  ['input', large, {}],
  ['context', 'small', { context: { large } }],
  ['metadata', 'small', { metadata: { large } }],
  ['workflowState', 'small', { workflowState: { large } }],
])('starts nothing with too large a value: %s', async (name, input, options) => {
  await expect(start(input, { executionId: 'refused', ...options })).rejects.toMatchObject({
    code: 'VALUE_TOO_LARGE',
    kind: 'invalid-input',
    message: expect.stringMatching(new RegExp(`${name} has 20\\d\\d bytes, and the limit is 1000$`)),
  });
  const key = { owner: 'anyone', workflowId: 'orders', executionId: 'refused' } as const;
  await expect(runtime.get(key)).rejects.toMatchObject({ code: 'EXECUTION_NOT_FOUND' });
});

it.each([
  ['output', 'its output has 2002 bytes, and the limit is 1000'],
  ['state', 'the workflow state has 1215 bytes, and the limit is 1000'],
  ['suspend', 'it suspended with a value that has 2002 bytes, and the limit is 1000'],
  ['bail', 'it bailed with a value that has 2002 bytes, and the limit is 1000'],
  ['event', 'it wrote an event with a value that has 2033 bytes, and the limit is 1000'],
])('fails a step that produces too large a value: %s', async (input, reason) => {
  const executionId = await start(input);
  const key = { owner: 'anyone', workflowId: 'orders', executionId } as const;
  const { error, status } = await runtime.wait(key);
  expect({ status, message: error?.message }).toEqual({ status: 'error', message: `Step "first" failed: ${reason}` });
});

it.each([
  ['inputData', 'first'],
  ['inputData', 'second'],
  ['resumeData', 'first'],
])('replays nothing with too large a value: %s for the %s step', async (name, stepId) => {
  const executionId = await start('small');
  const key = { owner: 'anyone', workflowId: 'orders', executionId } as const;
  await runtime.wait(key);
  await expect(runtime.replay(key, { stepId, [name]: large })).rejects.toMatchObject({
    code: 'VALUE_TOO_LARGE',
    message: `${name} has 2002 bytes, and the limit is 1000`,
  });
  expect((await storage.executions.list('anyone', { parentExecutionId: null, limit: 10, offset: 0 })).total).toBe(1);
});

it.each([undefined, 'first'])('continues nothing with too large an answer, at the step %s', async (stepId) => {
  const executionId = await start('ask');
  const key = { owner: 'anyone', workflowId: 'orders', executionId } as const;
  await runtime.wait(key);
  await expect(runtime.resume(key, { stepId, resumeData: large })).rejects.toMatchObject({
    code: 'VALUE_TOO_LARGE',
    message: 'resumeData has 2002 bytes, and the limit is 1000',
  });
  expect(await runtime.get(key)).toMatchObject({ status: 'suspended' });
});
