import { createWorkflow } from '@halyard/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { serve, type Served } from '../../../testing/serve.ts';
import { requestWorkflows } from '../../../testing/workflows.ts';

const trip = createWorkflow({ id: 'trip' }).andRun({
  id: 'book',
  run: async ({ step }) => {
    const flight = await step('flight', () => 'LH 1');
    const answer = await step(
      'approve',
      ({ resumeData, suspend }) => resumeData ?? suspend('too expensive?', { flight }),
    );
    return { flight, answer };
  },
});

const twoTrips = createWorkflow({ id: 'two-trips' }).andStart({ id: 'start', workflow: trip }).andJoin({ id: 'join' });

let server: Served;
beforeAll(async () => {
  server = await serve([], { workflows: [trip, twoTrips] });
});
afterAll(() => server.close());

it('resumes a step that code calls, and names it in the suspension', async () => {
  const { data, executionId } = await requestWorkflows(server.origin, '/trip/execute', { input: {} });
  expect(data).toMatchObject({
    status: 'suspended',
    suspension: { stepId: 'book/approve', suspendData: { flight: 'LH 1' } },
  });
  const path = `/trip/executions/${executionId}`;
  const answer = { stepId: 'book/approve', resumeData: { ok: true } };
  expect(await requestWorkflows(server.origin, `${path}/resume`, answer)).toMatchObject({ status: 200 });
  await expect
    .poll(async () => (await requestWorkflows(server.origin, path)).data)
    .toMatchObject({ status: 'completed', output: { flight: 'LH 1', answer: { ok: true } } });
});

it('starts executions of their own, which the workflow names', async () => {
  const { data, executionId } = await requestWorkflows(server.origin, '/two-trips/execute', { input: {} });
  expect(data).toMatchObject({ status: 'suspended', suspension: { stepId: 'join' } });
  expect((await requestWorkflows(server.origin, '/two-trips')).data['steps']).toMatchObject([
    { id: 'start', type: 'andStart', starts: 'trip' },
    { id: 'join', type: 'andJoin' },
  ]);
  const { suspendData } = data['suspension'] as { suspendData: { executionId: string } };
  const started = `/trip/executions/${suspendData.executionId}`;
  await expect
    .poll(async () => (await requestWorkflows(server.origin, started)).data)
    .toMatchObject({ status: 'suspended', metadata: { startedBy: executionId } });
  await requestWorkflows(server.origin, `${started}/resume`, { resumeData: 1 });
  await expect
    .poll(async () => (await requestWorkflows(server.origin, `/two-trips/executions/${executionId}`)).data)
    .toMatchObject({ status: 'completed', output: [{ status: 'completed', output: { answer: 1 } }] });
});

it('is a step without inner steps in the workflow', async () => {
  expect((await requestWorkflows(server.origin, '/trip')).data['steps']).toEqual([
    { id: 'book', name: 'book', type: 'andRun', purpose: '' },
  ]);
});
