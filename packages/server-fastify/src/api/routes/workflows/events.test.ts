import { createWorkflow } from '@halyard/core';
import Fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createServer } from '../../../create-server.ts';
import { halyard } from '../../../halyard.ts';
import { workflowRuntime } from '../../../http/workflow-runtime.ts';
import { json, serve, type Served, unreachableLimits } from '../../../testing/serve.ts';
import { requestWorkflows, type WorkflowReply } from '../../../testing/workflows.ts';

const payment = createWorkflow({ id: 'payment', name: 'Payment', purpose: '' }).andWaitForEvent({
  id: 'pay',
  event: 'order.paid',
  key: 'o-1',
  from: 'owner',
  timeoutMs: 3_600_000,
});

let server: Served;
beforeAll(async () => {
  server = await serve([], {
    workflows: [payment],
    userOf: ({ headers }) => (typeof headers['x-user'] === 'string' ? { id: headers['x-user'] } : undefined),
  });
});
afterAll(() => server.close());

const as = (user: string | undefined, path: string, body?: unknown): Promise<WorkflowReply> =>
  requestWorkflows(server.origin, path, body, user === undefined ? {} : { 'x-user': user });

const event = { name: 'order.paid', key: 'o-1' };

/** Starts an execution that waits. @returns its id. */
async function waitingOf(user: string): Promise<string> {
  const { data, executionId } = await as(user, '/payment/execute', { input: {} });
  expect(data).toMatchObject({ status: 'suspended', suspension: { stepId: 'pay' } });
  return executionId ?? '';
}

async function statusOf(user: string, id: string): Promise<unknown> {
  return (await as(user, `/payment/executions/${id}`)).data['status'];
}

describe('POST /workflows/events', () => {
  it('lets an execution that waits continue with the payload', async () => {
    const id = await waitingOf('ada');
    expect(await as('ada', '/events', { ...event, payload: { amount: 3 } })).toMatchObject({
      status: 200,
      data: { eventId: expect.any(String), delivered: 1 },
    });
    await expect.poll(() => statusOf('ada', id)).toBe('completed');
    expect((await as('ada', `/payment/executions/${id}`)).data).toMatchObject({ output: { amount: 3 } });
  });

  it('neither reaches nor reveals executions of another user, whatever the user sends', async () => {
    const id = await waitingOf('ada');
    const own = { ...event, requestId: 'webhook-1' };
    for (const body of [own, { ...own, userId: 'ada' }, { ...own, options: { userId: 'ada' } }, event]) {
      const { data, status } = await as('eve', '/events', body);
      if (status === 200) expect(data).toEqual({ eventId: expect.any(String), delivered: 0 });
    }
    expect(await statusOf('ada', id)).toBe('suspended');
    // Nor does it reach executions that wait later, or take the request id.
    const later = await waitingOf('ada');
    expect(await statusOf('ada', later)).toBe('suspended');
    expect((await as('ada', '/events', own)).data).toMatchObject({ delivered: 2 });
    expect((await as('ada', '/events', own)).data).toMatchObject({ delivered: 0 });
  });

  it('reaches executions of every user if no user is verified', async () => {
    const ids = [await waitingOf('ada'), await waitingOf('bob')] as const;
    expect((await as(undefined, '/events', event)).data).toMatchObject({ delivered: 2 });
    await expect.poll(() => statusOf('ada', ids[0])).toBe('completed');
    await expect.poll(() => statusOf('bob', ids[1])).toBe('completed');
  });

  it.each([
    {},
    { name: 'halyard.execution-ended', key: 'run-1' },
    { name: 'a b' },
    { name: 'a', key: '' },
    { name: 'a', key: 'x'.repeat(201) },
  ])('refuses %j', async (body) => {
    const reply = await fetch(`${server.origin}/workflows/events`, json(body));
    expect(reply.status).toBe(400);
  });
});

describe('the runtime of a server', () => {
  it('publishes events that arrive at a route of the app', async () => {
    const { app, close, runtime } = await createServer({
      workflows: [payment],
      logger: 'silent',
      signals: false,
      limits: unreachableLimits,
    });
    app.post('/webhooks/payments', async ({ body }) =>
      runtime.publish({ name: 'order.paid', key: 'o-1', payload: body }),
    );
    await app.ready();
    const { executionId } = await runtime.execute('payment', {}, {});
    const reply = await app.inject({ method: 'POST', url: '/webhooks/payments', payload: { amount: 4 } });
    expect(reply.json()).toMatchObject({ delivered: 1 });
    const ended = runtime.wait({ owner: 'anyone', executionId }, { until: 'ended' });
    expect(await ended).toMatchObject({ status: 'completed', result: { amount: 4 } });
    await close();
  });

  it('is that of the plugin, too, once it is registered', async () => {
    const app = Fastify({ pluginTimeout: 0 });
    expect(() => workflowRuntime(app)).toThrow('await app.register(halyard');
    await app.register(halyard, { workflows: [payment] });
    await app.ready();
    expect(await workflowRuntime(app).execute('payment', {}, {})).toMatchObject({ status: 'suspended' });
    await app.close();
  });
});

describe('GET /workflows/:id', () => {
  it('contains the event that a step waits for', async () => {
    expect((await as('ada', '/payment')).data['steps']).toMatchObject([
      { id: 'pay', type: 'andWaitForEvent', event: 'order.paid', eventFrom: 'owner', timeoutMs: 3_600_000 },
    ]);
  });
});
