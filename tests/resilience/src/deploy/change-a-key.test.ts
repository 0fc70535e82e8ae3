/** The deploys of "Change a key" in docs/operations.md. */
import { Agent, createTool } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { createServer } from '@halyard/server-fastify';
import { Type } from '@sinclair/typebox';
import { expect, it } from 'vitest';

const [old, fresh] = ['the secret so far', 'the new secret'];
const input = { euros: 5 };

/** A server of a deploy. */
async function replica(secret: readonly string[], storage = createInMemoryStorage()) {
  const pay = createTool({
    name: 'pay',
    description: 'Pays',
    input: Type.Object({ euros: Type.Number() }),
    needsApproval: true,
    execute: () => 'paid',
  });
  const cashier = new Agent({
    id: 'cashier',
    tools: [pay],
    model: scriptedModel(({ prompt }) =>
      prompt.at(-1)?.role === 'tool' ? 'Done.' : { toolCalls: [{ toolName: 'pay', toolCallId: 'c1', input }] },
    ),
  });
  const { app } = await createServer({ agents: [cashier], storage, secret, logger: false });
  return async (messages: string | readonly object[]) =>
    app.inject({ method: 'POST', url: '/agents/cashier/text', payload: { input: messages } });
}

type Replica = Awaited<ReturnType<typeof replica>>;

/** Whether a person who was asked by one replica can answer another one. */
async function canAnswer(asking: Replica, answering: Replica): Promise<boolean> {
  const asked = await asking('Pay');
  const { data } = asked.json<{ data: { toolCalls: { approvalId: string; signature: string }[] } }>();
  const [{ approvalId, signature } = expect.fail('no approval is requested')] = data.toolCalls;
  const { statusCode } = await answering([
    { role: 'user', content: 'Pay' },
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'pay', input }] },
    { role: 'tool', content: [{ type: 'tool-approval-response', approvalId, signature, approved: true }] },
  ]);
  return statusCode === 200;
}

/**
 * Whether the replicas of two deploys, which answer at the same time, accept each other's
 * approvals.
 */
async function areCompatible(before: readonly string[], after: readonly string[]): Promise<boolean> {
  const storage = createInMemoryStorage();
  const [first, second] = [await replica(before, storage), await replica(after, storage)];
  return (await canAnswer(first, second)) && canAnswer(second, first);
}

const deploys = [[old], [old, fresh], [fresh, old], [fresh]] as const;

it.each([
  ['first', 0],
  ['second', 1],
] as const)('no approval is refused during the %s deploy', async (_name, index) => {
  expect(await areCompatible(deploys[index], deploys[index + 1] ?? [])).toBe(true);
});

it('no approval is refused during the third deploy, when all approvals with the old secret have expired', async () => {
  const storage = createInMemoryStorage();
  const [second, third] = [await replica(deploys[2], storage), await replica(deploys[3], storage)];
  expect(await canAnswer(second, third)).toBe(true);
  expect(await canAnswer(third, second)).toBe(true);
});

it('a deploy that signs with the new secret at once loses approvals, on replicas that do not know it', async () => {
  expect(await areCompatible([old], [fresh, old])).toBe(false);
});

it('after the third deploy, approvals with the old secret are refused', async () => {
  const storage = createInMemoryStorage();
  expect(await canAnswer(await replica([old], storage), await replica([fresh], storage))).toBe(false);
});
