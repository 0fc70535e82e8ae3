import { Agent, createMemory, createTool } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { createServer } from '@halyard/server-fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRestateEngine } from './create-restate-engine.ts';
import { freePorts, RestateServer } from './testing/restate-server.ts';

const pay = createTool({
  name: 'pay',
  description: '',
  input: { type: 'object' },
  needsApproval: { approvers: ['kim'], expiryMs: 1_000, onExpire: { approvers: ['lee'], expiryMs: 1_000 } },
  execute: () => 'paid',
});
const clerk = new Agent({
  id: 'clerk',
  model: scriptedModel(({ prompt }) => {
    const last = prompt.at(-1);
    return last?.role === 'tool' ? JSON.stringify(last.content) : { toolCalls: [{ toolName: 'pay', input: {} }] };
  }),
  tools: [pay],
});

let restate: RestateServer;
beforeAll(async () => {
  restate = await RestateServer.start();
});
afterAll(async () => {
  await restate?.close();
});

it.each(['durable', 'resumable'])('ends an approval in a %s chat at its time limit', async (kind) => {
  const [port] = await freePorts();
  const storage = createInMemoryStorage();
  const server = await createServer({
    agents: [clerk],
    memory: createMemory({ storage }),
    storage,
    engine: createRestateEngine({ ingress: restate.ingress, serve: { port, host: '127.0.0.1' } }),
    port: 0,
    logger: false,
  });
  const url = await server.listen();
  await restate.register(port);
  const message = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Pay' }] };
  const reply = await fetch(`${url}/agents/clerk/chat`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ input: [message], options: { conversationId: kind, userId: 'ada', [kind]: true } }),
  });
  expect(await reply.text()).toContain('tool-approval-request');
  const last = async (): Promise<unknown> => {
    const response = await fetch(`${url}/api/memory/conversations/${kind}/messages?userId=ada`);
    const { data } = (await response.json()) as {
      readonly data: { readonly messages: readonly { readonly parts: readonly unknown[] }[] };
    };
    return data.messages.at(-1)?.parts.at(-1);
  };
  await expect
    .poll(last, { timeout: 60_000 })
    .toMatchObject({ text: expect.stringContaining('Nobody has responded in time.') });
  expect(await (await fetch(`${url}/approvals`)).json()).toMatchObject({ data: { approvals: [] } });
  await server.close();
});
