import { createMemory, createWorkflow } from '@halyard/core';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { expect, it, onTestFinished } from 'vitest';
import { json, serve } from '../../../testing/serve.ts';

const consoleKey = 'the key of the console';
const provider = { type: 'names', verifyToken: (id: string) => ({ id }) };

const order = createWorkflow({ id: 'order' }).andThen({
  id: 'approve',
  execute: ({ input, resumeData, suspend }) => (resumeData === undefined ? suspend('Approve?', input) : resumeData),
});

it('does not take an answer to an execution for a later one with its id', async () => {
  const storage = createInMemoryStorage();
  const server = await serve([], {
    workflows: [order],
    storage,
    memory: createMemory({ storage }),
    auth: { provider, consoleKey },
  });
  onTestFinished(server.close);
  const send = async (path: string, headers: Readonly<Record<string, string>>, init: RequestInit = {}) => {
    const reply = await fetch(server.origin + path, {
      ...init,
      headers: { ...headers, ...(init.body !== undefined && json({}).headers) },
    });
    const { data = {} } = (await reply.json()) as { data?: Readonly<Record<string, unknown>> };
    return { status: reply.status, data };
  };
  const ada = { authorization: 'Bearer ada' };
  const operator = { 'x-console-access-key': consoleKey };
  const start = (euros: number) =>
    send('/workflows/order/execute', ada, json({ input: { euros }, options: { executionId: 'x1' } }));

  await start(10);
  let id: unknown;
  // The lists of an engine may lag.
  await expect
    .poll(async () => {
      const { approvals } = (await send('/approvals', operator)).data;
      return (id = (approvals as readonly { readonly id: string }[])[0]?.id);
    })
    .toMatch(/^1\.1-.{8}$/u);
  expect(await send('/api/memory/users/ada', ada, { method: 'DELETE' })).toMatchObject({ status: 200 });
  await start(90_000);
  const resumeData = { approved: true };
  const answer = json({ id, executionId: 'x1', resumeData });
  expect(await send('/approvals/answer', operator, answer)).toMatchObject({ status: 404 });
  const bound = json({ resumeData, options: { suspensionId: id } });
  expect(await send('/workflows/order/executions/x1/resume', operator, bound)).toMatchObject({ status: 409 });
  expect(await send('/workflows/order/executions/x1', ada)).toMatchObject({ data: { status: 'suspended' } });
});
