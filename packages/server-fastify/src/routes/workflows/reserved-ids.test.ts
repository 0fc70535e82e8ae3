import { createWorkflow } from '@halyard/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Served, serve } from '../../testing/serve.ts';
import { requestWorkflows } from '../../testing/workflows.ts';

const report = createWorkflow({ id: 'report' }).andThen({ id: 'write', execute: () => 'written' });

let server: Served;
beforeAll(async () => {
  server = await serve([], { workflows: [report] });
});
afterAll(() => server.close());

it.each(['report:schedule:2030-01-01T00:00:00Z', 'bulk-0123456789abcdef0123456789abcdef'])(
  'refuses the id %s, with which a request would prevent an execution of a schedule or a bulk operation',
  async (executionId) => {
    for (const path of ['/report/execute', '/report/stream'])
      expect(await requestWorkflows(server.origin, path, { input: {}, options: { executionId } })).toMatchObject({
        status: 400,
        code: 'INVALID_INPUT',
        error: expect.stringContaining('body/options/executionId'),
      });
  },
);
