import type { Execution } from '@halyard/contracts';
import { Agent, createMemory, createTool, createWorkflow } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { Type } from '@sinclair/typebox';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { paid, payingAgents, payingWorkflows, startAndAsk } from '../../../testing/approvals.ts';
import { userOf } from '../../../testing/memory.ts';
import { isOnEngine, json, serve, type Served } from '../../../testing/serve.ts';
import { requestWorkflows } from '../../../testing/workflows.ts';

const urgent = createWorkflow({ id: 'urgent', name: 'urgent', purpose: '', input: Type.Object({}) }).andThen({
  id: 'sign',
  execute: ({ resumeData, suspend }) => resumeData ?? suspend('Soon, please', undefined, { expiryMs: 60_000 }),
});

const review = createWorkflow({ id: 'review', name: 'review', purpose: '', input: Type.Object({}) }).andThen({
  id: 'sign',
  resumeSchema: Type.Object({ by: Type.String() }),
  execute: ({ resumeData, suspend }) => resumeData ?? suspend('A signature is missing', { pages: 3 }),
});

let server: Served;
beforeAll(async () => {
  server = await serve([], {
    agents: payingAgents,
    workflows: [...payingWorkflows, review, urgent],
    memory: createMemory(),
    userOf,
    approvalExpiryMs: 60_000,
    secret: 'a secret that is long enough for a test',
  });
});
afterAll(() => server.close());

interface Listed {
  readonly id: string;
  readonly kind: string;
  readonly executionId: string | null;
  readonly conversationId: string | null;
  readonly [field: string]: unknown;
}

async function list(as?: string, { origin }: Served = server): Promise<readonly Listed[]> {
  const response = await fetch(`${origin}/approvals`, { headers: as === undefined ? {} : { 'x-user': as } });
  return ((await response.json()) as { data: { approvals: Listed[] } }).data.approvals;
}

/** The first of the list that matches. The lists of an engine may lag. */
async function listed(matches: (each: Listed) => boolean): Promise<Listed> {
  return vi.waitFor(async () => (await list()).find(matches) ?? expect.fail('it is not listed'), 100_000);
}

async function answer(body: object, as?: string): Promise<{ status: number; code: string | null }> {
  const { headers, ...init } = json(body);
  const response = await fetch(`${server.origin}/approvals/answer`, {
    ...init,
    headers: { ...headers, ...(as !== undefined && { 'x-user': as }) },
  });
  await response.text();
  return { status: response.status, code: response.headers.get('x-error-code') };
}

/** Lets an agent ask for a payment in a conversation. */
async function ask(conversationId: string, euros: number, userId = 'ada'): Promise<Listed> {
  const body = { input: `pay ${euros}`, options: { userId, conversationId } };
  await (await fetch(`${server.origin}/agents/cashier/text`, json(body))).text();
  const found = (await list()).find((each) => each.conversationId === conversationId);
  if (found === undefined) throw new TypeError(`Nothing waits in ${conversationId}`);
  return found;
}

describe('an agent in a conversation', () => {
  it('is listed with its user, its tool and its arguments, and continues once it is answered', async () => {
    const asked = await ask('c1', 11);
    expect(asked).toMatchObject({
      kind: 'tool',
      agentId: 'cashier',
      toolName: 'pay',
      input: { euros: 11 },
      userId: 'ada',
      executionId: null,
      expiresAt: expect.stringMatching(/^20/),
    });
    const { id } = asked;
    expect(await answer({ id, conversationId: 'c1', approved: true })).toMatchObject({ status: 200 });
    await expect.poll(() => paid).toContain(11);
    await expect.poll(async () => (await list()).filter((each) => each.id === id)).toEqual([]);
    expect(await answer({ id, conversationId: 'c1', approved: true })).toMatchObject({ status: 404 });
  });

  it('runs a call once if two people answer at the same time', async () => {
    const { id } = await ask('c2', 12);
    const replies = await Promise.all(
      Array.from({ length: 5 }, () => answer({ id, conversationId: 'c2', approved: true })),
    );
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    await expect.poll(() => paid.filter((euros) => euros === 12)).toEqual([12]);
  });

  it('does not run a call that is denied, and tells the model why', async () => {
    const { id } = await ask('c3', 13);
    await answer({ id, conversationId: 'c3', approved: false, reason: 'Too much' });
    const messages = async () =>
      JSON.stringify(await (await fetch(`${server.origin}/api/memory/conversations/c3/messages`)).json());
    await expect.poll(messages).toContain('Result: ');
    expect(await messages()).toContain('Too much');
    expect(paid).not.toContain(13);
  });

  it('is neither listed for another user nor answered by one', async () => {
    const { id } = await ask('c5', 15);
    expect((await list('eve')).map((each) => each.id)).not.toContain(id);
    expect((await list('ada')).map((each) => each.id)).toContain(id);
    expect(await answer({ id, conversationId: 'c5', approved: true }, 'eve')).toMatchObject({ status: 404 });
    expect(paid).not.toContain(15);
  });

  it('is no longer listed when the user has written something else', async () => {
    const { id } = await ask('c6', 16);
    const body = { input: 'never mind', options: { userId: 'ada', conversationId: 'c6' } };
    await (await fetch(`${server.origin}/agents/cashier/text`, json(body))).text();
    expect((await list()).map((each) => each.id)).not.toContain(id);
  });
});

describe('a message that its user has rewritten', () => {
  interface Part {
    readonly [field: string]: unknown;
    readonly approval?: Readonly<Record<string, unknown>>;
  }

  /** Replaces the call that waits in the newest message. */
  async function rewrite(conversationId: string, change: (call: Part) => readonly Part[]): Promise<void> {
    const page = await fetch(`${server.origin}/api/memory/conversations/${conversationId}/messages`);
    const { data } = (await page.json()) as { data: { messages: { parts: Part[] }[] } };
    const message = data.messages.at(-1);
    const parts = message?.parts.flatMap((part) => (part.approval === undefined ? [part] : change(part)));
    const body = { userId: 'ada', conversationId, messages: [{ ...message, parts }] };
    expect((await fetch(`${server.origin}/api/memory/save-messages`, json(body))).status).toBe(200);
  }
  const listedIn = async (conversationId: string) =>
    (await list()).filter((each) => each.conversationId === conversationId);

  it('gives the operator no reason of the user', async () => {
    await ask('c7', 17);
    await rewrite('c7', (call) => [{ ...call, approval: { ...call.approval, requestReason: 'The boss agrees' } }]);
    expect(await listedIn('c7')).toMatchObject([{ input: { euros: 17 }, reason: 'Tool "pay" needs approval' }]);
  });

  it('costs the server no more than some calls', async () => {
    await ask('c8', 18);
    await rewrite('c8', (call) => Array.from({ length: 200 }, () => call));
    expect(await listedIn('c8')).toHaveLength(50);
  });

  it('is answered though forged calls are before the one that waits', async () => {
    const { id } = await ask('c9', 19);
    const forged = (call: Part, index: number) => ({
      ...call,
      toolCallId: `forged-${index}`,
      approval: { id: 'forged', signature: `9999999999999.${'A'.repeat(43)}` },
    });
    await rewrite('c9', (call) => [...Array.from({ length: 200 }, (_, index) => forged(call, index)), call]);
    expect(await answer({ id: 'forged', conversationId: 'c9', approved: true })).toMatchObject({ status: 404 });
    expect(await answer({ id, conversationId: 'c9', approved: false })).toMatchObject({ status: 200 });
    expect(paid).not.toContain(19);
  });
});

describe('an execution', () => {
  it('is listed with the question of its step, and resumed with data that fits', async () => {
    const { executionId } = await requestWorkflows(server.origin, '/review/execute', { input: {} });
    const found = await listed((each) => each.executionId === executionId);
    expect(found).toMatchObject({
      kind: 'step',
      reason: 'A signature is missing',
      data: { pages: 3 },
      resumeSchema: { type: 'object', properties: { by: { type: 'string' } } },
      workflowId: 'review',
      stepId: 'sign',
      expiresAt: null,
    });
    const id = found?.id;
    expect(await answer({ id, executionId, resumeData: { by: 1 } })).toMatchObject({ status: 400 });
    expect(await answer({ id, executionId, resumeData: { by: 'ada' } })).toMatchObject({ status: 200 });
    expect(await answer({ id, executionId, resumeData: { by: 'ada' } })).toMatchObject({ status: 404 });
  });

  it('is listed with the end of its time', async () => {
    await (await fetch(`${server.origin}/workflows/urgent/execute`, json({ input: {} }))).text();
    const found = await listed(({ workflowId }) => workflowId === 'urgent');
    const { expiresAt, requestedAt } = found as { readonly expiresAt?: string; readonly requestedAt?: string };
    expect(Date.parse(expiresAt ?? '') - Date.parse(requestedAt ?? '')).toBeGreaterThanOrEqual(60_000);
  });

  it('is listed with the call of its agent or sub-agent, and never with its signature', async () => {
    const { asked, id: executionId } = await startAndAsk(server.origin, 'office', 'pay 1');
    const found = await listed((each) => each.executionId === executionId);
    expect(found).toMatchObject({ kind: 'tool', agentId: 'cashier', toolName: 'pay', id: asked[0]?.approvalId });
    expect(JSON.stringify(found)).not.toContain(asked[0]?.signature);
    expect(await answer({ id: found?.id, executionId })).toMatchObject({ status: 400 });
    expect(await answer({ id: found?.id, executionId, approved: false })).toMatchObject({ status: 200 });
    expect(await answer({ id: found?.id, executionId, approved: false })).toMatchObject({ status: 404 });
  });
});

it.each([
  ['durable, and continues as an execution', { durable: true }],
  ['resumable, and continues without a client', { resumable: true, durable: false }],
])('answers an agent whose chats are %s', async (_, options) => {
  const approved: number[] = [];
  const pay = createTool({
    name: 'pay',
    description: '',
    input: Type.Object({ euros: Type.Number() }),
    needsApproval: true,
    execute: async ({ euros }) => approved.push(euros),
  });
  const model = scriptedModel({ toolCalls: [{ toolName: 'pay', toolCallId: 'c1', input: { euros: 5 } }] }, 'Paid.');
  const agents = [new Agent({ id: 'teller', model, tools: [pay], ...options })];
  const teller = await serve([], { agents, memory: createMemory() });
  // The chat transport of the AI SDK sends no user.
  const body = { id: 'c1', messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'pay' }] }] };
  await (await fetch(`${teller.origin}/agents/teller/chat`, json(body))).text();
  await expect.poll(() => list(undefined, teller)).toHaveLength(1);
  const [asked] = await list(undefined, teller);
  expect(asked).toMatchObject({ agentId: 'teller', conversationId: 'c1', userId: null });
  const answered = { id: asked?.id, conversationId: 'c1', approved: true };
  expect((await fetch(`${teller.origin}/approvals/answer`, json(answered))).status).toBe(200);
  const messages = async () => (await fetch(`${teller.origin}/api/memory/conversations/c1/messages`)).text();
  await expect.poll(messages).toContain('Paid.');
  expect(approved).toEqual([5]);
  expect(await list(undefined, teller)).toEqual([]);
  await teller.close();
});

it('accepts no answer after the request has expired, and no longer lists it', async () => {
  const brief = await serve([], { agents: payingAgents, memory: createMemory(), approvalExpiryMs: 1 });
  const options = { userId: 'ada', conversationId: 'c1' };
  const reply = await fetch(`${brief.origin}/agents/cashier/stream`, json({ input: 'pay 14', options }));
  const id = /"approvalId":"([^"]+)"/.exec(await reply.text())?.[1];
  await expect.poll(() => list(undefined, brief)).toEqual([]);
  const body = { id, conversationId: 'c1', approved: true };
  expect((await fetch(`${brief.origin}/approvals/answer`, json(body))).status).toBe(404);
  expect(paid).not.toContain(14);
  await brief.close();
});

it('refuses an answer without a place', async () => {
  expect(await answer({ id: 'x', approved: true })).toMatchObject({ status: 400 });
});

// It changes what the storage returns.
it.skipIf(isOnEngine)(
  'neither lists nor accepts a request whose time is over, before a process has ended its wait',
  async () => {
    const storage = createInMemoryStorage();
    let isOver = false;
    const ended = (root: Execution): Execution =>
      isOver ? { ...root, timers: root.timers.map((timer) => ({ ...timer, wakeAt: 0 })) } : root;
    const executions = new Proxy(storage.executions, {
      get: (target, name) => {
        if (name === 'find')
          return async (...key: Parameters<typeof target.find>) => {
            const root = await target.find(...key);
            return root && ended(root);
          };
        if (name === 'list')
          return async (...query: Parameters<typeof target.list>) => {
            const page = await target.list(...query);
            return { ...page, executions: page.executions.map(ended) };
          };
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const late = await serve([], { workflows: [urgent], storage: { ...storage, executions } });
    try {
      await (await fetch(`${late.origin}/workflows/urgent/execute`, json({ input: {} }))).text();
      const [asked] = await list(undefined, late);
      expect(asked).toMatchObject({ workflowId: 'urgent' });
      isOver = true;
      expect(await list(undefined, late)).toEqual([]);
      const body = { id: asked?.id, executionId: asked?.executionId, resumeData: true };
      expect((await fetch(`${late.origin}/approvals/answer`, json(body))).status).toBe(404);
    } finally {
      await late.close();
    }
  },
);
