import { Agent, createMemory, createTool, createWorkflow, type StepContext, type ToolContext } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { createPostgresStorage } from '@halyard/memory-postgres';
import { Type } from '@sinclair/typebox';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  createServerDatabase,
  type ServerDatabase,
} from '../../../../../memory-postgres/src/testing/server-database.ts';
import { json, serve, type Served } from '../../../testing/serve.ts';
import { connectTo } from '../../../testing/sockets.ts';

/** `kim@acme` is a manager of a tenant. */
const provider = {
  type: 'names',
  verifyToken: (token: string) => {
    const [id = '', tenantId] = token.split('@');
    return { id, roles: id === 'ada' ? [] : ['manager'], ...(tenantId !== undefined && { tenantId }) };
  },
};
const rules = { approvers: ['role:manager'], notRequester: true, quorum: 2 };
const paid: unknown[] = [];
const tipped: unknown[] = [];
const tip = createTool({
  name: 'tip',
  description: '',
  input: Type.Object({ cents: Type.Integer() }),
  needsApproval: { approvers: ['role:manager'] },
  execute: ({ cents }) => {
    tipped.push(cents);
    return 'tipped';
  },
});
const pay = createTool({
  name: 'pay',
  description: '',
  input: Type.Object({}),
  needsApproval: rules,
  execute: (_, { user }: ToolContext) => {
    paid.push(user);
    return 'paid';
  },
});
const execute = ({ resumeData, suspend }: StepContext<unknown>): unknown =>
  resumeData ?? suspend('Two must sign', { pages: 3 }, rules);

let database: ServerDatabase;
let replicas: Served[];
async function start(): Promise<Served> {
  const storage = createPostgresStorage({ connectionString: database.connectionString });
  const model = scriptedModel(({ prompt }) =>
    prompt.at(-1)?.role === 'tool' ? 'Done.' : { toolCalls: [{ toolName: 'pay', toolCallId: 'p', input: {} }] },
  );
  const tipping = scriptedModel(({ prompt }) =>
    prompt.at(-1)?.role === 'tool'
      ? 'Done.'
      : { toolCalls: [{ toolName: 'tip', toolCallId: 't', input: { cents: 90 } }] },
  );
  const waiter = new Agent({ id: 'waiter', model: tipping, tools: [tip] });
  const delegating = scriptedModel(({ prompt }) =>
    prompt.at(-1)?.role === 'tool' ? 'Done.' : { toolCalls: [{ toolName: 'ask_waiter', input: { task: 'Tip' } }] },
  );
  const host = new Agent({ id: 'host', model: delegating, subAgents: [waiter] });
  const replica = await serve([], {
    agents: [new Agent({ id: 'clerk', model, tools: [pay] }), waiter, host],
    workflows: [
      createWorkflow({ id: 'serve' }).andAgent({ id: 'ask', agent: waiter, prompt: 'Tip' }),
      createWorkflow({ id: 'contract' }).andThen({ id: 'sign', execute }),
    ],
    storage,
    memory: createMemory({ storage }),
    auth: { provider },
    secret: 'a secret that is long enough for a test',
    limits: { approvalsPauseMs: 100 },
  });
  const close = replica.close.bind(replica);
  const served = {
    ...replica,
    close: async () => {
      await close();
      await storage.close();
    },
  };
  replicas.push(served);
  return served;
}

beforeEach(async () => {
  paid.length = 0;
  tipped.length = 0;
  replicas = [];
  database = await createServerDatabase();
});
afterEach(async () => {
  for (const replica of replicas) await replica.close();
  await database.remove();
});

interface Approval {
  readonly id: string;
  readonly executionId: string | null;
  readonly conversationId: string | null;
}
async function send({ origin }: Served, path: string, token: string, body?: unknown) {
  const { headers, ...init } = body === undefined ? { headers: {} } : json(body);
  const response = await fetch(origin + path, { ...init, headers: { ...headers, authorization: `Bearer ${token}` } });
  const { data } = (await response.json()) as { data?: { approvals?: Approval[] } };
  return { status: response.status, data };
}
const list = async (replica: Served, token: string): Promise<readonly Approval[]> =>
  (await send(replica, '/api/approvals', token)).data?.approvals ?? [];
const answer = (replica: Served, token: string, { conversationId, executionId, id }: Approval, body: object) =>
  send(replica, '/api/approvals/answer', token, {
    id,
    ...(executionId === null ? { conversationId } : { executionId }),
    ...body,
  });

it('settles a request once that two hundred people answer at two replicas', async () => {
  const [one, other] = [await start(), await start()];
  await send(one, '/workflows/contract/execute', 'ada@acme', { input: {}, options: { executionId: 'c-1' } });
  const [asked] = await list(other, 'kim@acme');
  expect(await list(other, 'kim@globex')).toEqual([]);
  if (asked === undefined) throw new TypeError('a request should wait');
  const replies = await Promise.all(
    Array.from({ length: 200 }, (_, at) =>
      answer(at % 2 === 0 ? one : other, `user-${at}@acme`, asked, { resumeData: { approved: true } }),
    ),
  );
  expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
    200,
    200,
    ...Array.from({ length: 198 }, () => 404),
  ]);
  await expect.poll(async () => (await list(one, 'kim@acme')).length + (await list(other, 'kim@acme')).length).toBe(0);
});

it('continues a conversation at another replica for the user who asked', async () => {
  const first = await start();
  await send(first, '/agents/clerk/text', 'ada@acme', { input: 'Pay', options: { conversationId: 'talk' } });
  await first.close();
  replicas.pop();
  const second = await start();
  const [asked] = await list(second, 'kim@acme');
  if (asked === undefined) throw new TypeError('a request should wait');
  expect(await list(second, 'ada@acme')).toEqual([]);
  expect(await answer(second, 'kim@acme', asked, { approved: true })).toMatchObject({ status: 200 });
  expect(paid).toEqual([]);
  expect(await answer(second, 'lee@acme', asked, { approved: true })).toMatchObject({ status: 200 });
  await expect.poll(() => paid, { timeout: 60_000 }).toEqual([{ id: 'ada', roles: [], tenantId: 'acme' }]);
  await expect.poll(() => list(second, 'max@acme')).toEqual([]);
});

it('announces requests and answers of another replica', async () => {
  const [one, other] = [await start(), await start()];
  const follow = async (token: string) => {
    const client = connectTo(`${other.origin}/ws/approvals?token=${token}`);
    expect(await client.next()).toMatchObject({ type: 'CONNECTION_SUCCESS' });
    return client;
  };
  const [byKim, byAda] = [await follow('kim@acme'), await follow('ada@acme')];
  await send(one, '/agents/waiter/text', 'ada@acme', { input: 'Tip', options: { conversationId: 'talk' } });
  const asked = (await byKim.next()) as { readonly data: Approval };
  expect(asked).toMatchObject({ type: 'APPROVAL_REQUESTED', data: { toolName: 'tip', conversationId: 'talk' } });
  expect(await answer(one, 'lee@acme', asked.data, { approved: true })).toMatchObject({ status: 200 });
  const settled = { type: 'APPROVAL_SETTLED', data: { id: asked.data.id, conversationId: 'talk' } };
  expect(await byKim.next()).toMatchObject(settled);
  expect(await byAda.next()).toMatchObject(settled);
});

it('takes answers by links at another replica, after the one that made them has ended', async () => {
  const first = await start();
  const linkTo = (id: string, request: Parameters<Served['approvals']['link']>[0]): Promise<string> =>
    first.approvals.link(request, { to: { id, roles: ['manager'], tenantId: 'acme' }, expiryMs: 3_600_000 });
  await send(first, '/workflows/contract/execute', 'ada@acme', { input: {}, options: { executionId: 'c-2' } });
  const [asked] = await list(first, 'kim@acme');
  if (asked === undefined) throw new TypeError('a request should wait');
  const links = [await linkTo('kim', asked), await linkTo('lee', { executionId: 'c-2', stepId: 'sign' })];
  await first.close();
  replicas.pop();

  const second = await start();
  const open = async (link = ''): Promise<string> =>
    (await fetch(`${second.origin}/approvals/link${new URL(link).search}`)).text();
  const approve = async (page: string): Promise<string> => {
    const field = (name: string): string => new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? '';
    const body = new URLSearchParams({ token: field('token'), form: field('form'), decision: 'approve' });
    return (await fetch(`${second.origin}/approvals/link`, { method: 'POST', body })).text();
  };
  expect(await approve(await open(links[0]))).toContain('1 of 2 people have approved');
  expect(await approve(await open(links[1]))).toContain('<bdi>You</bdi> approved');
  expect(await open(links[0])).toContain('<bdi>lee</bdi> approved');
  await expect.poll(() => open(links[1])).toContain('<bdi>You</bdi> approved');
});

it.each([
  ['a conversation', '/agents/waiter/text', { input: 'Tip', options: { conversationId: 'talk' } }],
  ['a sub-agent in a conversation', '/agents/host/text', { input: 'Tip', options: { conversationId: 'talk' } }],
  ['a workflow', '/workflows/serve/execute', { input: {} }],
])('runs changed arguments in %s at another replica', async (_, path, body) => {
  const first = await start();
  await send(first, path, 'ada@acme', body);
  await first.close();
  replicas.pop();
  const second = await start();
  const [asked] = await list(second, 'kim@acme');
  if (asked === undefined) throw new TypeError('a request should wait');
  const input = { cents: 5 };
  expect(await answer(second, 'kim@globex', asked, { approved: true, input })).toMatchObject({ status: 404 });
  expect(await answer(second, 'kim@acme', asked, { approved: true, input: {} })).toMatchObject({ status: 400 });
  expect(await answer(second, 'kim@acme', asked, { approved: true, input })).toMatchObject({ status: 200 });
  await expect.poll(() => tipped, { timeout: 60_000 }).toEqual([5]);
});
