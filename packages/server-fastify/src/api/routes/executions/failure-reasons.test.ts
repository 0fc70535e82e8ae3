import { createWorkflow } from '@halyard/core';
import { afterEach, expect, it, vi } from 'vitest';
import { serve, type Served } from '../../../testing/serve.ts';

let server: Served | undefined;
afterEach(() => server?.close());

const pay = createWorkflow({ id: 'pay', retries: { attempts: 0 } }).andThen({
  id: 'transfer',
  execute: (): never => {
    throw new Error('the bank refused: account closed');
  },
});

/** The execution `e1`, which has failed, in the list and by its id. */
async function readFailed(options: Parameters<typeof serve>[1]): Promise<readonly object[]> {
  server = await serve([], { workflows: [pay], telemetry: {}, ...options });
  const { origin } = server;
  const body = JSON.stringify({ input: {}, options: { executionId: 'e1' } });
  await fetch(`${origin}/workflows/pay/execute`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  const read = async (path: string): Promise<object> => {
    const response = await fetch(`${origin}${path}`);
    expect(response.status).toBe(200);
    return ((await response.json()) as { readonly data: object }).data;
  };
  // The lists of an engine may lag.
  const listed = await vi.waitFor(async () => {
    const [newest] = (await read('/workflows/executions')) as readonly { readonly status: string }[];
    return newest?.status === 'error' ? newest : expect.fail('it is not listed as failed');
  }, 100_000);
  return [listed, await read('/workflows/pay/executions/e1/state')];
}

it('tells operators why executions failed, in the words of the error', async () => {
  for (const execution of await readFailed({}))
    expect(execution).toMatchObject({
      status: 'error',
      error: { message: 'Step "transfer" failed' },
      failureReason: 'the bank refused: account closed',
    });
});

it('does not tell their users', async () => {
  for (const execution of await readFailed({ userOf: () => ({ id: 'ada' }) })) {
    expect(execution).toMatchObject({ status: 'error' });
    expect(execution).not.toHaveProperty('failureReason');
  }
});

it('is silent where runs are not recorded', async () => {
  for (const execution of await readFailed({ telemetry: false })) expect(execution).not.toHaveProperty('failureReason');
});
