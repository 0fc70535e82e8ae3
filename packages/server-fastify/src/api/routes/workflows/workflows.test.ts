import { Agent, andThen, createWorkflow } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { serve, type Served } from '../../../testing/serve.ts';
import { requestWorkflows, workflows } from '../../../testing/workflows.ts';

let server: Served;
beforeAll(async () => {
  server = await serve([], { workflows });
});
afterAll(() => server.close());

const Order = { type: 'object', required: ['total'], properties: { total: { type: 'number' } } };
const Answer = { type: 'object', required: ['by'], properties: { by: { type: 'string' } } };

it('lists the workflows in the order of registration', async () => {
  const { data, status } = await requestWorkflows(server.origin, '');
  expect(status).toBe(200);
  expect(data).toHaveLength(workflows.length);
  expect(data[0]).toEqual({ id: 'sum', name: 'Sum', purpose: 'Adds', stepsCount: 2, status: 'idle' });
});

it('describes a workflow with its schemas and steps, never their code', async () => {
  for (const _ of [1, 2]) {
    expect((await requestWorkflows(server.origin, '/approval')).data).toEqual({
      id: 'approval',
      name: 'Approval',
      purpose: 'Asks a person',
      stepsCount: 3,
      status: 'idle',
      inputSchema: Order,
      resultSchema: null,
      suspendSchema: Order,
      resumeSchema: Answer,
      steps: ['price', 'approve', 'ship'].map((id) => ({ id, name: id, type: 'andThen', purpose: '' })),
    });
  }
});

it('lists nested steps, including those of sub-workflows', async () => {
  expect((await requestWorkflows(server.origin, '/nested')).data).toMatchObject({
    stepsCount: 2,
    steps: [
      {
        id: 'big',
        type: 'andWhen',
        steps: [
          {
            id: 'parts',
            type: 'andAll',
            steps: [
              { id: 'part', type: 'andThen', inputSchema: Order, outputSchema: Order, resumeSchema: Answer },
              { id: 'call', type: 'andWorkflow', steps: [{ id: 'ask', type: 'andThen' }] },
            ],
          },
        ],
      },
      { id: 'rest', type: 'andSleep' },
    ],
  });
});

it('says which steps handle a failure, and which can be undone', async () => {
  const step = (id: string) => andThen({ id, execute: () => id });
  const workflow = createWorkflow({ id: 'pay' }).andTry({
    id: 'safe',
    step: andThen({ id: 'charge', execute: () => 1, compensate: () => {} }),
    catch: step('invoice'),
    finally: step('tidy'),
  });
  const own = await serve([], { workflows: [workflow] });
  try {
    const { data } = await requestWorkflows(own.origin, '/pay');
    const described = (id: string) => ({ id, name: id, type: 'andThen', purpose: '' });
    expect(data['steps']).toMatchObject([
      {
        steps: [
          { ...described('charge'), compensates: true },
          { ...described('invoice'), role: 'catch' },
          { ...described('tidy'), role: 'finally' },
        ],
      },
    ]);
  } finally {
    await own.close();
  }
});

it('does not find other workflows', async () => {
  expect(await requestWorkflows(server.origin, '/nothing')).toMatchObject({
    status: 404,
    code: 'WORKFLOW_NOT_FOUND',
    error: 'Workflow not found: nothing',
  });
  expect(await requestWorkflows(server.origin, '/a%20b')).toMatchObject({ status: 400, code: 'INVALID_INPUT' });
});

it('lists earlier versions, and the agents and workflows that steps run', async () => {
  const agent = new Agent({ id: 'clerk', model: scriptedModel('ok') });
  const inner = createWorkflow({ id: 'inner' }).andThen({ id: 'work', execute: () => 1 });
  const first = createWorkflow({ id: 'grown' }).andThen({ id: 'a', execute: () => 1 });
  const second = createWorkflow({ id: 'grown' }).andThen({ id: 'b', execute: () => 1 });
  const grown = createWorkflow({ id: 'grown', versions: [first], replaces: [second] })
    .andAgent({ id: 'ask', agent, prompt: () => 'Hello' })
    .andWorkflow({ id: 'call', workflow: inner });
  const own = await serve([], { workflows: [grown] });
  try {
    expect((await requestWorkflows(own.origin, '/grown')).data).toMatchObject({
      steps: [
        { id: 'ask', agentId: 'clerk' },
        { id: 'call', workflowId: 'inner' },
      ],
      versions: [
        { steps: [{ id: 'a' }], isReplaced: false },
        { steps: [{ id: 'b' }], isReplaced: true },
      ],
    });
  } finally {
    await own.close();
  }
});
