import {
  Agent,
  createMemory,
  createTool,
  createWorkflow,
  type MayAnswer,
  type StepContext,
  type ToolContext,
} from '@halyard/core';
import { toApprovalRef } from '@halyard/core/server';
import { scriptedModel } from '@halyard/core/testing';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { Type } from '@sinclair/typebox';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { json, serve, type Served } from '../../../testing/serve.ts';

/** A token is the JSON of its user. */
const provider = {
  type: 'json',
  verifyToken: (token: string) => JSON.parse(Buffer.from(token, 'base64url').toString()) as { readonly id: string },
};
const tokenOf = (user: object): string => Buffer.from(JSON.stringify(user)).toString('base64url');
const managerOf = (tenantId: unknown, id = 'kim'): string => tokenOf({ id, roles: ['manager'], tenantId });
const ada = tokenOf({ id: 'ada', tenantId: 'acme' });
const kim = managerOf('acme');
const lee = managerOf('acme', 'lee');
const max = managerOf('acme', 'max');

const rules = { approvers: ['role:manager'], notRequester: true, quorum: 2 };
const paid: unknown[] = [];
const pay = createTool({
  name: 'pay',
  description: '',
  input: Type.Object({}),
  needsApproval: rules,
  execute: (_, { userId }: ToolContext) => {
    paid.push(userId);
    return 'paid';
  },
});
const clerk = new Agent({
  id: 'clerk',
  tools: [pay],
  model: scriptedModel(({ prompt }) => {
    const last = prompt.at(-1);
    if (last?.role === 'tool') return { text: ['Result: ', JSON.stringify(last.content)] };
    return JSON.stringify(last?.content).includes('Pay')
      ? { toolCalls: [{ toolName: 'pay', toolCallId: 'p', input: {} }] }
      : 'Hello.';
  }),
});
const contract = createWorkflow({ id: 'contract' }).andThen({
  id: 'sign',
  execute: ({ resumeData, resumedBy, suspend }: StepContext<unknown>): unknown =>
    resumeData === undefined ? suspend('Two must sign', {}, rules) : { resumeData, resumedBy },
});

interface Approval {
  readonly id: string;
  readonly [field: string]: unknown;
}

let server: Served;
let storage: ReturnType<typeof createInMemoryStorage>;
let mayAnswer: MayAnswer | undefined;
beforeEach(async () => {
  paid.length = 0;
  mayAnswer = undefined;
  storage = createInMemoryStorage();
  server = await serve([], {
    agents: [clerk],
    workflows: [contract],
    storage,
    memory: createMemory({ storage }),
    auth: { provider },
    secret: 'a secret that is long enough for a test',
    mayAnswer: (question) => mayAnswer?.(question) ?? true,
  });
});
afterEach(() => server.close());

async function send(path: string, token: string, body?: unknown) {
  const { headers, ...init } = body === undefined ? { headers: {} } : json(body);
  const response = await fetch(server.origin + path, {
    ...init,
    headers: { ...headers, authorization: `Bearer ${token}` },
  });
  const { data = {} } = (await response.json()) as { data?: Readonly<Record<string, unknown>> };
  return { status: response.status, data };
}
const page = async (token: string) =>
  (await send('/api/approvals', token)).data as { readonly approvals: readonly Approval[]; readonly hasMore: boolean };
const list = async (token: string): Promise<readonly Approval[]> => (await page(token)).approvals;
async function only(token: string): Promise<Approval> {
  const [approval, second] = await list(token);
  if (approval === undefined || second !== undefined) throw new TypeError('one request should wait');
  return approval;
}
const answer = async (token: string, { conversationId, executionId, id }: Approval, body: object) =>
  (
    await send('/api/approvals/answer', token, {
      id,
      ...(executionId === null ? { conversationId } : { executionId }),
      ...body,
    })
  ).status;
const chat = (conversationId: string, text = 'Pay', token = ada) =>
  send('/agents/clerk/text', token, { input: text, options: { conversationId } });
const messages = async (conversationId: string): Promise<string> =>
  JSON.stringify((await send(`/api/memory/conversations/${conversationId}/messages`, ada)).data);
const execute = () => send('/workflows/contract/execute', ada, { input: {}, options: { executionId: 'contract-1' } });
const output = async () => {
  const run = await server.runtime.wait({ owner: 'anyone', executionId: 'contract-1' });
  return run.result;
};

/** The next call of a method fails, as when the process or its connection ends. */
function failOnce<Name extends string>(target: Record<Name, (...given: never[]) => unknown>, name: Name): void {
  const original = target[name];
  target[name] = () => {
    target[name] = original;
    return Promise.reject(new Error('the connection was lost'));
  };
}

describe('a request that is settled, whose run did not continue', () => {
  it('stays denied in an execution, whatever those who had approved answer then', async () => {
    await execute();
    const asked = await only(kim);
    expect(await answer(kim, asked, { resumeData: { approved: true } })).toBe(200);
    failOnce(storage.executions, 'resume');
    expect(await answer(lee, asked, { resumeData: { approved: false } })).toBe(500);
    expect(await answer(kim, asked, { resumeData: { approved: true } })).toBe(200);
    expect(await output()).toEqual({ resumeData: { approved: false }, resumedBy: 'lee' });
  });

  it('continues in an execution with the next answer of anybody, who decides nothing', async () => {
    await execute();
    const asked = await only(kim);
    expect(await answer(kim, asked, { resumeData: { approved: true, by: 'kim' } })).toBe(200);
    failOnce(storage.executions, 'resume');
    expect(await answer(lee, asked, { resumeData: { approved: true, by: 'lee' } })).toBe(500);
    expect(await answer(max, asked, { resumeData: { approved: true, by: 'max' } })).toBe(404);
    expect(await output()).toEqual({ resumeData: { approved: true, by: 'lee' }, resumedBy: 'lee' });
  });

  it('stays denied in a conversation', async () => {
    await chat('c1');
    const asked = await only(kim);
    expect(await answer(kim, asked, { approved: true })).toBe(200);
    failOnce(storage.approvals, 'consume');
    expect(await answer(lee, asked, { approved: false, reason: 'too much' })).toBe(500);
    expect(await answer(kim, asked, { approved: true })).toBe(200);
    await expect.poll(() => messages('c1')).toContain('too much');
    expect(paid).toEqual([]);
  });

  it('continues in a conversation with the next answer of anybody', async () => {
    await chat('c1');
    const asked = await only(kim);
    expect(await answer(kim, asked, { approved: true })).toBe(200);
    failOnce(storage.approvals, 'consume');
    expect(await answer(lee, asked, { approved: true })).toBe(500);
    expect(await answer(max, asked, { approved: false })).toBe(404);
    await expect.poll(() => paid).toEqual(['ada']);
  });
});

it.each(['c1', undefined])('does not accept a decision that does not count: %s', async (conversationId) => {
  await (conversationId === undefined ? execute() : chat(conversationId));
  const asked = await only(kim);
  const body = (approved: boolean) => (conversationId === undefined ? { resumeData: { approved } } : { approved });
  expect(await answer(kim, asked, body(true))).toBe(200);
  expect(await answer(kim, asked, body(false))).toBe(404);
  expect(await answer(kim, asked, body(true))).toBe(200);
  expect(await answer(lee, asked, body(false))).toBe(200);
  expect(paid).toEqual([]);
});

it('keeps tenants apart whose ids are numbers', async () => {
  await chat('c1', 'Pay', tokenOf({ id: 'ada', tenantId: 7 }));
  expect(await list(managerOf(8))).toEqual([]);
  expect(await list(tokenOf({ id: 'kim', roles: ['manager'] }))).toEqual([]);
  expect(await list(managerOf('7'))).toHaveLength(1);
  const asked = await only(managerOf(7));
  expect(await answer(managerOf(8), asked, { approved: true })).toBe(404);
  expect(await answer(managerOf(7), asked, { approved: true })).toBe(200);
});

it.each([[['acme']], [{ id: 'acme' }], [true], [7.5]])(
  'takes nobody with the tenant %j for a user without a tenant',
  async (tenantId) => {
    await chat('unclear', 'Pay', tokenOf({ id: 'eve', tenantId }));
    expect(await list(tokenOf({ id: 'kim', roles: ['manager'] }))).toEqual([]);
    await chat('none', 'Pay', tokenOf({ id: 'ada' }));
    expect(await list(tokenOf({ id: 'kim', roles: ['manager'] }))).toHaveLength(1);
    expect(await list(managerOf(tenantId))).toEqual([]);
    expect(paid).toEqual([]);
  },
);

it('hides a request whose check by the app fails or returns something else, and no other', async () => {
  await chat('c1');
  const asked = await only(kim);
  await chat('c2');
  mayAnswer = ({ request: { conversationId } }) => {
    if (conversationId === 'c1') throw new TypeError('this input was not expected');
    return true;
  };
  expect(await list(kim)).toMatchObject([{ conversationId: 'c2' }]);
  expect(await answer(kim, asked, { approved: true })).toBe(404);
  // An app without a compiler.
  mayAnswer = (() => 'no') as unknown as MayAnswer;
  expect(await list(kim)).toEqual([]);
  mayAnswer = undefined;
  expect(await list(kim)).toHaveLength(2);
});

it('lists requests that wait behind those whose conversations went on', async () => {
  await chat('waits');
  const eve = tokenOf({ id: 'eve', tenantId: 'acme' });
  for (let count = 0; count < 201; count += 1) {
    await chat(`gone-${count}`, 'Pay', eve);
    await chat(`gone-${count}`, 'Thanks', eve);
  }
  expect(await page(kim)).toMatchObject({ approvals: [{ conversationId: 'waits' }], hasMore: false });
});

it('lists an old request behind more than a thousand that do not wait any more', async () => {
  await chat('c1');
  const { approvalId: id } = toApprovalRef((await only(kim)).id);
  const known = await storage.approvals.find(id);
  if (known === undefined) throw new TypeError('the request should be open');
  for (let at = 1; at <= 1_200; at++)
    await storage.approvals.open({
      ...known,
      id: `others-${at}`,
      conversationId: at % 2 === 0 ? 'c1' : `deleted-${at}`,
      createdAt: known.createdAt + at,
    });
  expect(await page(kim)).toMatchObject({ approvals: [{ conversationId: 'c1' }], hasMore: false });
});

it('reads the conversations of many requests together', async () => {
  const reads: string[] = [];
  for (const id of ['c1', 'c2', 'c3']) await chat(id);
  const { conversations } = storage;
  for (const name of ['messages', 'listWaiting'] as const) {
    const original = conversations[name]?.bind(conversations) as (...given: unknown[]) => never;
    Object.assign(conversations, {
      [name]: (...given: unknown[]) => {
        reads.push(name);
        return original(...given);
      },
    });
  }
  expect(await list(kim)).toHaveLength(3);
  // One list for Kim's own conversations and one for all others, then the texts of each request.
  expect(reads).toEqual(['listWaiting', 'listWaiting', 'messages', 'messages', 'messages']);
});
