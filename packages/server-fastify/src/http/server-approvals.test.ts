import { Agent, createMemory, createTool, createWorkflow } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { Type } from '@sinclair/typebox';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { serve, type Served } from '../testing/serve.ts';

const refunds: number[] = [];
const refund = createTool({
  name: 'refund',
  description: '',
  input: Type.Object({ cents: Type.Integer() }),
  needsApproval: { approvers: ['role:manager'], notRequester: true, always: true },
  execute: ({ cents }) => refunds.push(cents),
});
const clerk = new Agent({
  id: 'clerk',
  model: scriptedModel(({ prompt }) =>
    prompt.at(-1)?.role === 'tool'
      ? 'Done.'
      : { toolCalls: [{ toolName: 'refund', toolCallId: 'r1', input: { cents: 900 } }] },
  ),
  tools: [refund],
});
const ask = (id: string, quorum: number) =>
  createWorkflow({ id }).andThen({
    id: 'sign',
    execute: ({ resumeData, resumedBy, suspend }) =>
      resumeData === undefined
        ? suspend('Please sign', { pages: 3 }, { approvers: ['role:manager'], quorum })
        : { ...(resumeData as object), resumedBy },
  });
const consoleKey = 'the key of the console';
const grace = { id: 'grace', roles: ['manager'] };

let server: Served;
beforeEach(async () => {
  refunds.length = 0;
  server = await serve([], {
    agents: [clerk],
    workflows: [ask('contract', 1), ask('payout', 2)],
    memory: createMemory(),
    auth: { provider: { type: 'names', verifyToken: (token: string) => ({ id: token }) }, consoleKey },
  });
});
afterEach(() => server.close());

async function read(path: string): Promise<Record<string, unknown>> {
  const response = await fetch(server.origin + path, { headers: { 'x-console-access-key': consoleKey } });
  return ((await response.json()) as { data: Record<string, unknown> }).data;
}

const begin = (id: string) => server.runtime.execute(id, {}, { executionId: `${id}-1`, userId: 'ada' });

it('finds a step that waits, and answers it once for a person whom its rules name', async () => {
  const { suspension } = await begin('contract');
  const request = { id: suspension?.suspensionId ?? '', executionId: 'contract-1' };
  const { answer, find } = server.approvals;
  expect(await find(request)).toMatchObject({ reason: 'Please sign', data: { pages: 3 }, userId: 'ada' });

  expect(await answer(request, { approved: true }, 'ada')).toBe(false);
  expect(await answer(request, { approved: true }, { id: 'eve', roles: ['clerk'] })).toBe(false);
  const answers = Array.from({ length: 20 }, () => answer(request, { approved: true, reason: 'Read' }, grace));
  const accepted = await Promise.all(answers);
  expect(accepted.filter(Boolean)).toHaveLength(1);
  const output = { approved: true, reason: 'Read', resumedBy: 'grace' };
  await expect.poll(() => read('/workflows/contract/executions/contract-1/state')).toMatchObject({ output });
  expect(await find(request)).toBeUndefined();

  const { records } = await read('/audit?action=approval.answer&userId=grace');
  expect(records).toContainEqual(
    expect.objectContaining({
      actor: expect.objectContaining({ userId: 'grace', roles: ['manager'], channel: 'server' }),
      detail: { approved: true, reason: 'Read' },
      outcome: expect.objectContaining({ errorCode: null }),
    }),
  );
});

async function chat(conversationId: string): Promise<void> {
  const reply = await fetch(`${server.origin}/agents/clerk/text`, {
    method: 'POST',
    headers: { authorization: 'Bearer ada', 'content-type': 'application/json' },
    body: JSON.stringify({ input: 'My lamp broke', options: { conversationId } }),
  });
  expect(reply.status).toBe(200);
}

async function waiting(): Promise<{ readonly id: string; readonly conversationId: string }> {
  const { approvals } = (await read('/approvals')) as { approvals: { id: string; conversationId: string }[] };
  return approvals[0] ?? expect.fail('nothing waits');
}

it('answers a tool call in a conversation, also with other arguments', async () => {
  await chat('c1');
  const request = await waiting();
  expect(await server.approvals.find(request)).toMatchObject({ toolName: 'refund', input: { cents: 900 } });
  const lower = { approved: true, input: { cents: 500 } };
  expect(await server.approvals.answer(request, lower, { id: 'ada', roles: ['manager'] })).toBe(false);
  expect(await server.approvals.answer(request, lower, grace)).toBe(true);
  await expect.poll(() => refunds).toEqual([500]);
  expect(await server.approvals.answer(request, lower, grace)).toBe(false);
});

it('approves later calls of a tool', async () => {
  await chat('c1');
  const request = await waiting();
  const { answer } = server.approvals;
  const always = { scope: 'tool', expiryMs: 60_000 } as const;
  await expect(answer(request, { approved: false, always }, grace)).rejects.toThrow('`approved: true`');
  for (const wrong of [null, { scope: 'all' }, { scope: 'tool', expiryMs: NaN }, { scope: 'tool', expiryMs: 0 }])
    await expect(answer(request, { approved: true, always: wrong as never }, grace)).rejects.toThrow('always');
  expect(await answer(request, { approved: true, always }, { id: 'ada', roles: ['manager'] })).toBe(false);
  expect(await read('/approvals/grants')).toMatchObject({ grants: [] });
  expect(await answer(request, { approved: true, always }, grace)).toBe(true);
  await expect.poll(() => refunds).toEqual([900]);
  expect(await read('/approvals/grants')).toMatchObject({
    grants: [{ scope: 'tool', userId: 'ada', grantedBy: 'grace' }],
  });
  await chat('c2');
  expect(refunds).toEqual([900, 900]);
  const { records } = await read('/audit?action=approval.answer&userId=grace');
  expect(records).toContainEqual(
    expect.objectContaining({
      detail: { approved: true, always },
      outcome: expect.objectContaining({ errorCode: null }),
    }),
  );
});

it('counts different people where several must approve', async () => {
  const { suspension } = await begin('payout');
  const request = { id: suspension?.suspensionId ?? '', executionId: 'payout-1' };
  const { answer, find } = server.approvals;
  await answer(request, { approved: true }, grace);
  // The same person counts once.
  await answer(request, { approved: true }, grace);
  expect(await find(request)).toMatchObject({ quorum: 2 });
  await answer(request, { approved: true }, { id: 'linus', roles: ['manager'] });
  expect(await find(request)).toBeUndefined();
});

it('refuses unknown requests, and responses that make no sense', async () => {
  await begin('contract');
  const step = { executionId: 'contract-1', stepId: 'sign' };
  const { answer, find } = server.approvals;
  expect(await find({ executionId: 'contract-2', id: 'x' })).toBeUndefined();
  await expect(find({ executionId: 'contract-1' })).rejects.toThrow('needs an `id`');
  expect(await answer({ conversationId: 'c9', id: 'x' }, { approved: true }, grace)).toBe(false);
  await expect(answer(step, { approved: true }, '')).rejects.toThrow('`by` must be');
  await expect(answer(step, { approved: 'no' } as never, grace)).rejects.toThrow('`approved` must be');
  const long = { approved: true, reason: 'x'.repeat(4_097) };
  await expect(answer(step, long, grace)).rejects.toThrow('`reason` must be');
  await expect(answer(step, { approved: true, input: {} }, grace)).rejects.toThrow('only for a tool call');
  const always = { scope: 'tool' } as const;
  await expect(answer(step, { approved: true, always }, grace)).rejects.toThrow('only for a tool call');
  expect(await answer(step, { approved: false }, grace)).toBe(true);
});
