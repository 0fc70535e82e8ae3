import { andRun, createWorkflow } from '@halyard/core';
import type { WorkflowDefinition } from '@halyard/core/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { json, serve, type Served } from '../../testing/serve.ts';

const consoleKey = 'the key of the console';
const auth = { provider: { type: 'names', verifyToken: (id: string) => ({ id }) }, consoleKey };
const ada = { authorization: 'Bearer ada' };
const operator = { 'x-console-access-key': consoleKey };
const users = { replay: true };
const refused = { status: 403, code: 'OPERATION_NOT_ALLOWED' };

async function open(...workflows: readonly WorkflowDefinition[]): Promise<Served> {
  const server = await serve([], { workflows, auth });
  onTestFinished(server.close);
  return server;
}

async function post({ origin }: Served, path: string, body: object, who: Readonly<Record<string, string>> = ada) {
  const { headers, ...init } = json(body);
  const reply = await fetch(`${origin}/workflows/${path}`, { ...init, headers: { ...headers, ...who } });
  const { data } = (await reply.json()) as { data?: unknown };
  return { status: reply.status, code: reply.headers.get('x-error-code'), data };
}

describe('with `users.replay`, a user', () => {
  const pay = andRun({ id: 'pay', run: ({ waitForEvent }) => waitForEvent('paid', { event: 'order.paid' }) });
  const ship = { id: 'ship', execute: ({ data }: { readonly data: unknown }) => data };
  const inner = createWorkflow({ id: 'inner' }).andAll({ id: 'inside', steps: [pay] });

  it.each([
    [
      'in parallel',
      createWorkflow({ id: 'order', users })
        .andAll({ id: 'all', steps: [pay] })
        .andThen(ship),
    ],
    [
      'in a sub-workflow',
      createWorkflow({ id: 'order', users }).andWorkflow({ id: 'sub', workflow: inner }).andThen(ship),
    ],
  ])('does not replace what code has received with an event of the app: %s', async (_, order) => {
    const server = await open(order);
    const started = await post(server, 'order/execute', { input: null, options: { executionId: 'x1' } });
    expect(started).toMatchObject({ status: 200, data: { status: 'suspended' } });
    await server.runtime.publish({ name: 'order.paid', payload: { cents: 7 } });
    await server.runtime.wait({ owner: 'anyone', executionId: 'x1' });
    const forged = { stepId: 'ship', inputData: { cents: 999 } };
    expect(await post(server, 'order/executions/x1/replay', forged)).toMatchObject(refused);
    expect(await post(server, 'order/executions/x1/replay', { stepId: 'ship' })).toMatchObject({ status: 200 });
    const replayed = { status: 200, data: { result: { cents: 999 } } };
    expect(await post(server, 'order/executions/x1/replay', forged, operator)).toMatchObject(replayed);
  });

  it('replays a sub-workflow only if the workflow of its root allows it, too', async () => {
    const sub = createWorkflow({ id: 'sub', users }).andThen({ id: 'pay', execute: ({ data }) => data });
    const server = await open(
      createWorkflow({ id: 'closed' }).andWorkflow({ id: 'sub', workflow: sub }),
      createWorkflow({ id: 'open', users }).andWorkflow({ id: 'sub', workflow: sub }),
    );
    expect(await post(server, 'sub/execute', { input: 1 })).toMatchObject({ status: 404 });
    const replay = async (root: string, who: Readonly<Record<string, string>> = ada) => {
      await post(server, `${root}/execute`, { input: 1, options: { executionId: root } });
      const list = `${server.origin}/workflows/executions?parentExecutionId=${root}`;
      const { data } = (await (await fetch(list, { headers: operator })).json()) as { data: { id: string }[] };
      const path = `sub/executions/${data[0]?.id}/replay`;
      return post(server, path, { stepId: 'pay', inputData: 999 }, who);
    };
    const replayed = { status: 200, data: { result: 999 } };
    expect(await replay('closed')).toMatchObject(refused);
    expect(await replay('closed', operator)).toMatchObject(replayed);
    expect(await replay('open')).toMatchObject(replayed);
  });
});
