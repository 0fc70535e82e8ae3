import { createMemory, createWorkflow } from '@halyard/core';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { expect, it, onTestFinished } from 'vitest';
import { json, serve } from '../../testing/serve.ts';

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
  const send = async (path: string, { body, method, ...headers }: Record<string, unknown>) => {
    const init = body === undefined ? {} : json(body);
    const reply = await fetch(server.origin + path, {
      ...init,
      ...(method !== undefined && { method: String(method) }),
      headers: { ...init.headers, ...(headers as Record<string, string>) },
    });
    return { status: reply.status, data: ((await reply.json()) as { data?: never }).data };
  };
  const ada = { authorization: 'Bearer ada' };
  const operator = { 'x-console-access-key': consoleKey };
  const start = (euros: number) =>
    send('/workflows/order/execute', { ...ada, body: { input: { euros }, options: { executionId: 'x1' } } });

  await start(10);
  const { approvals } = (await send('/approvals', operator)).data ?? { approvals: [{ id: '' }] };
  const [{ id = '' } = {}] = approvals as { id: string }[];
  expect(id).toMatch(/^1\.1-.{8}$/u);
  expect(await send('/api/memory/users/ada', { ...ada, method: 'DELETE' })).toMatchObject({ status: 200 });
  await start(90_000);
  const answer = { id, executionId: 'x1', resumeData: { approved: true } };
  expect(await send('/approvals/answer', { ...operator, body: answer })).toMatchObject({ status: 404 });
  const bound = { resumeData: { approved: true }, options: { suspensionId: id } };
  expect(await send('/workflows/order/executions/x1/resume', { ...operator, body: bound })).toMatchObject({
    status: 409,
  });
  expect(await send('/workflows/order/executions/x1', ada)).toMatchObject({ data: { status: 'suspended' } });
});
