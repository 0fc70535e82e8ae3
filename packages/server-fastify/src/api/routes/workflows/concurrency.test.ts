import { createWorkflow } from '@halyard/core';
import { expect, it } from 'vitest';
import { serve } from '../../../testing/serve.ts';
import { Gate, requestWorkflows } from '../../../testing/workflows.ts';

const gate = new Gate();
const work = { id: 'work', execute: ({ signal }: { readonly signal: AbortSignal }) => gate.pass(signal) };
const perTenant = createWorkflow({
  id: 'import',
  concurrency: { limit: 1, key: ({ context }) => String(context['tenant']) },
}).andThen(work);
const alone = createWorkflow({ id: 'sync', priority: -5, concurrency: { limit: 5 } }).andThen(work);
const ruled = createWorkflow({
  id: 'mail',
  throttle: { limit: 2, periodMs: 1_000, key: () => '' },
  singleton: { onBusy: 'skip' },
}).andThen(work);
const debounced = createWorkflow({ id: 'index', debounce: { delayMs: 1_000, maxDelayMs: 5_000 } }).andThen(work);
const asks = createWorkflow({ id: 'asks', singleton: { onBusy: 'skip' } }).andThen({
  id: 'ask',
  execute: ({ suspend }) => suspend('why'),
});
const unlimited = createWorkflow({ id: 'count' }).andThen(work);

it('shows the priority and the limit of a workflow, and since when an execution waits because of it', async () => {
  const { close, origin } = await serve([], { workflows: [perTenant, alone, unlimited] });
  const limitOf = async (id: string) => (await requestWorkflows(origin, `/${id}`)).data['concurrency'];
  const stateOf = async (id: string) => (await requestWorkflows(origin, `/import/executions/${id}`)).data;
  const run = (executionId: string) =>
    requestWorkflows(origin, '/import/execute', { input: null, options: { executionId, context: { tenant: 'a' } } });
  try {
    expect(await limitOf('import')).toEqual({ limit: 1, isPerKey: true });
    expect(await limitOf('sync')).toEqual({ limit: 5, isPerKey: false });
    expect(await limitOf('count')).toBe(undefined);
    expect((await requestWorkflows(origin, '/sync')).data['priority']).toBe(-5);
    expect((await requestWorkflows(origin, '/count')).data['priority']).toBe(undefined);

    const first = run('first');
    await gate.entered;
    const second = run('second');
    await expect.poll(async () => (await stateOf('second'))['waitingSince']).toMatch(/^\d{4}-.+Z$/);
    expect(await stateOf('second')).toMatchObject({ status: 'running' });
    expect((await stateOf('first'))['waitingSince']).toBe(undefined);

    gate.open();
    expect((await first).data).toMatchObject({ status: 'completed' });
    expect((await second).data).toMatchObject({ status: 'completed' });
    expect((await stateOf('second'))['waitingSince']).toBe(undefined);
  } finally {
    await close();
  }
});

it('shows the rules for starts, and refuses a start that a singleton skips', async () => {
  const { close, origin } = await serve([], { workflows: [ruled, debounced, asks] });
  try {
    expect((await requestWorkflows(origin, '/mail')).data).toMatchObject({
      throttle: { limit: 2, periodMs: 1_000, isPerKey: true },
      singleton: { onBusy: 'skip', isPerKey: false },
    });
    expect((await requestWorkflows(origin, '/index')).data).toMatchObject({
      debounce: { delayMs: 1_000, maxDelayMs: 5_000, isPerKey: false },
    });
    expect(await requestWorkflows(origin, '/asks/execute', { input: null })).toMatchObject({ status: 200 });
    expect(await requestWorkflows(origin, '/asks/execute', { input: null })).toMatchObject({
      status: 409,
      code: 'EXECUTION_SKIPPED',
    });
  } finally {
    await close();
  }
});

it('names the rule whose key is not a string, and starts nothing', async () => {
  const ofTenant = createWorkflow({
    id: 'sync',
    singleton: { onBusy: 'skip', key: ({ input }) => (input as { tenant: string }).tenant },
  }).andThen({ id: 'ask', execute: ({ suspend }) => suspend('why') });
  const { close, origin } = await serve([], { workflows: [ofTenant] });
  const run = (input: unknown) =>
    requestWorkflows(origin, '/sync/execute', { input, options: { executionId: 'first' } });
  try {
    expect(await run({ tenant: 7 })).toMatchObject({
      status: 500,
      code: 'START_KEY_FAILED',
      error: 'The singleton key of workflow "sync" must be a string, not number',
    });
    expect(await run({ tenant: 'acme' })).toMatchObject({ status: 200 });
  } finally {
    await close();
  }
});
