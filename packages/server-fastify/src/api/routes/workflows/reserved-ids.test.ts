import { createWorkflow } from '@halyard/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Served, serve } from '../../../testing/serve.ts';
import { requestWorkflows } from '../../../testing/workflows.ts';

const report = createWorkflow({ id: 'report' }).andThen({ id: 'write', execute: () => 'written' });

const order = createWorkflow({ id: 'order', access: 'operators' }).andThen({ id: 'ship', execute: () => 'shipped' });

let server: Served;
beforeAll(async () => {
  server = await serve([], { workflows: [report, order] });
});
afterAll(() => server.close());

it.each(['report:schedule:2030-01-01T00:00:00Z', 'bulk-0123456789abcdef0123456789abcdef', 'order-18'])(
  'refuses the id %s, with which a request would prevent an execution of the app or of the runtime',
  async (executionId) => {
    for (const path of ['/report/execute', '/report/stream'])
      expect(await requestWorkflows(server.origin, path, { input: {}, options: { executionId } })).toMatchObject({
        status: 400,
        code: 'INVALID_INPUT',
        error: expect.stringContaining('body/options/executionId'),
      });
  },
);

it('lets operators choose ids of the form of a workflow for that workflow only', async () => {
  const start = (executionId: string) =>
    requestWorkflows(server.origin, '/order/execute', { input: {}, options: { executionId } });
  expect(await start('order-18')).toMatchObject({ status: 200, executionId: 'order-18' });
  expect(await start('18')).toMatchObject({ status: 400, error: expect.stringContaining('"order-"') });
});
