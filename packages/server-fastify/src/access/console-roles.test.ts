import { createMemory, createWorkflow, type MayAnswer, type StepContext } from '@halyard/core';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createServer } from '../create-server.ts';
import { payingAgents, payingWorkflows } from '../testing/approvals.ts';
import { json, serve, type Served } from '../testing/serve.ts';
import type { AuthOptions } from './auth-options.ts';
import { createAccess } from './create-access.ts';

const consoleKey = 'the key of the console';
/** `kim@acme:manager,clerk` is a user of a tenant with roles; an expired token is refused. */
const provider = {
  type: 'names',
  verifyToken: (token: string) => {
    const [, id = '', tenantId, roles] = /^([\w-]+)(?:@(\w+))?(?::([\w,]+))?$/.exec(token) ?? [];
    if (id === '' || id === 'expired') return null;
    return { id, ...(tenantId !== undefined && { tenantId }), ...(roles !== undefined && { roles: roles.split(',') }) };
  },
};
const consoleRoles: AuthOptions['consoleRoles'] = {
  support: 'viewer',
  manager: 'operator',
  admin: 'owner',
  desk: { level: 'operator', workflows: ['contract', 'outer'] },
  till: { level: 'operator', agents: ['cashier'] },
  local: { level: 'operator', tenant: 'own' },
  watcher: { level: 'viewer', tenant: 'own' },
};
const viewer = 'vera:support';
const operator = 'olga:manager';
const owner = 'otto:admin';
const desk = 'dora:desk';
const till = 'tina:till';
const local = 'lars@acme:local';

const sign = {
  id: 'sign',
  execute: ({ resumeData, resumedBy, suspend }: StepContext<unknown>): object =>
    typeof resumeData === 'object' ? { ...resumeData, resumedBy } : suspend('A signature is missing', {}),
};
const fourEyes = {
  id: 'sign',
  execute: ({ resumeData, suspend }: StepContext<unknown>): unknown =>
    resumeData ?? suspend('Another must sign', {}, { approvers: ['boss'], notRequester: true }),
};
const workflows = [
  createWorkflow({ id: 'contract' }).andThen(sign),
  createWorkflow({ id: 'payout' }).andThen(sign),
  createWorkflow({ id: 'review' }).andThen(fourEyes),
  createWorkflow({ id: 'outer' }).andWorkflow({ id: 'inner', workflow: createWorkflow({ id: 'inner' }).andThen(sign) }),
  ...payingWorkflows,
];

let server: Served;
/** How many lists of executions were read. */
let listsRead: number;
let isRefused: (question: Parameters<MayAnswer>[0]) => boolean;
beforeEach(async () => {
  isRefused = () => false;
  listsRead = 0;
  const storage = createInMemoryStorage();
  const list = storage.executions.list.bind(storage.executions);
  storage.executions.list = (...given) => {
    listsRead += 1;
    return list(...given);
  };
  server = await serve([], {
    agents: payingAgents,
    workflows,
    storage,
    memory: createMemory({ storage }),
    auth: { provider, consoleKey, consoleRoles, rejectedPerMinute: false },
    mayAnswer: (question) => !isRefused(question),
  });
});
afterEach(() => server.close());

interface Reply {
  readonly status: number;
  readonly code: string | null;
  readonly text: string;
  readonly data: unknown;
}

async function send(path: string, token: string, body?: unknown, method?: string): Promise<Reply> {
  const { headers, ...init } = body === undefined ? { headers: {} } : json(body);
  const credentials = token === 'key' ? { 'x-console-access-key': consoleKey } : { authorization: `Bearer ${token}` };
  const reply = await fetch(server.origin + path, {
    ...init,
    ...(method !== undefined && { method }),
    headers: { ...headers, ...credentials },
  });
  const text = await reply.text();
  const { data } = text.startsWith('{') ? (JSON.parse(text) as { data?: unknown }) : {};
  return { status: reply.status, code: reply.headers.get('x-error-code'), text, data };
}
const statusOf = async (...sent: Parameters<typeof send>): Promise<number> => (await send(...sent)).status;
const execution = (id: string) => `/workflows/${id}/executions/${id}-1`;
async function start(id: string, token = 'ada@acme'): Promise<void> {
  const body = { input: {}, options: { executionId: `${id}-1` } };
  expect(await send(`/workflows/${id}/execute`, token, body)).toMatchObject({ status: 200 });
}
const stateOf = async (id: string) => (await send(`${execution(id)}/state`, 'key')).data;
async function waiting(token: string): Promise<readonly Readonly<Record<'id' | 'executionId', string>>[]> {
  const { data } = await send('/approvals', token);
  return (data as { approvals: readonly Readonly<Record<'id' | 'executionId', string>>[] }).approvals;
}
const idsOf = async (path: string, token: string) =>
  ((await send(path, token)).data as readonly { readonly id: string }[]).map(({ id }) => id);

describe('a role of a token', () => {
  const reads = ['/agents', '/workflows', '/workflows/executions', '/approvals', '/observability/traces', '/api/logs'];
  it.each([
    ['nothing', 'ada', 401, 401, 401],
    ['a role that opens nothing', 'ada:clerk', 401, 401, 401],
    ['an expired token', 'expired:admin', 401, 401, 401],
    ['viewer', viewer, 200, 403, 403],
    ['operator', operator, 200, 400, 403],
    ['owner', owner, 200, 400, 200],
    ['the console key', 'key', 200, 400, 200],
  ])('opens routes by its level: %s', async (_, token, read, change, own) => {
    for (const path of reads) expect([path, await statusOf(path, token)]).toEqual([path, read]);
    for (const path of ['/approvals/answer', '/workflows/executions/bulk'])
      expect([path, await statusOf(path, token, {})]).toEqual([path, change]);
    for (const path of ['/audit', '/audit/export', '/observability/users/ada/export'])
      expect([path, await statusOf(path, token)]).toEqual([path, own]);
  });

  it('names the level that is missing', async () => {
    expect(await send('/audit', operator)).toMatchObject({
      status: 403,
      code: 'OPERATION_NOT_ALLOWED',
      text: expect.stringContaining('needs the console role \\"owner\\"'),
    });
  });

  it('is gone with the next token', async () => {
    expect(await statusOf('/workflows/executions', 'olga:manager')).toBe(200);
    expect(await statusOf('/workflows/executions', 'olga')).toBe(401);
    await start('contract');
    expect(await statusOf(`${execution('contract')}/cancel`, 'olga', {})).toBe(404);
  });

  it('opens no routes of the app for less than an owner', async () => {
    const auth = { provider, consoleKey, consoleRoles, consoleRoutes: ['GET /admin'] };
    const { app, close } = await createServer({ auth, logger: 'silent', signals: false });
    app.get('/admin', () => 'open');
    const statuses = [viewer, operator, owner].map(async (token) => {
      const { statusCode } = await app.inject({ url: '/admin', headers: { authorization: `Bearer ${token}` } });
      return statusCode;
    });
    expect(await Promise.all(statuses)).toEqual([403, 403, 200]);
    await close();
  });

  it('lets its user answer, with the name of the user', async () => {
    await start('contract');
    const [asked] = await waiting(operator);
    const body = { id: asked?.id, executionId: 'contract-1', resumeData: { approved: true } };
    expect(await send('/approvals/answer', operator, body)).toMatchObject({ status: 200 });
    await expect.poll(() => stateOf('contract')).toMatchObject({ output: { resumedBy: 'olga' } });
  });

  it('does not let its user approve what the rules keep from the requester', async () => {
    await start('review', operator);
    expect(await waiting(operator)).toEqual([]);
    const [asked] = await waiting(owner);
    const body = { id: asked?.id, executionId: 'review-1', resumeData: {} };
    expect(await statusOf('/approvals/answer', operator, body)).toBe(404);
    expect(await statusOf('/approvals/answer', owner, body)).toBe(200);
  });

  it.each([
    ['ada@acme', 'resume', {}, 'SUSPENSION_ID_REQUIRED'],
    [operator, 'resume', {}, 'OPERATION_NOT_ALLOWED'],
    [operator, 'replay', { stepId: 'sign' }, 'OPERATION_NOT_ALLOWED'],
  ])('passes no check of %s with a bulk operation: %s', async (user, operation, fields, code) => {
    await start('review', user);
    const bulk = { operation, filter: { ids: ['review-1'] }, resumeData: { approved: true }, ...fields };
    const { data } = await send('/workflows/executions/bulk', operator, bulk);
    const { bulkId } = data as { readonly bulkId: string };
    const report = async () => (await send(`/workflows/executions/bulk/${bulkId}`, operator)).data;
    await expect.poll(report).toMatchObject({ status: 'completed' });
    expect(await report()).toMatchObject({ succeeded: 0, failed: 1, failures: [{ code }] });
    expect(await stateOf('review')).toMatchObject({ status: 'suspended' });
  });

  it('does not answer what the app keeps from its user', async () => {
    await start('contract');
    const [asked] = await waiting(operator);
    isRefused = ({ user: { id } }) => id === 'olga';
    const resume = (token: string) =>
      send(`${execution('contract')}/resume`, token, { resumeData: {}, options: { suspensionId: asked?.id } });
    expect(await waiting(operator)).toEqual([]);
    expect(await resume(operator)).toMatchObject({ status: 403, code: 'OPERATION_NOT_ALLOWED' });
    expect(await resume(owner)).toMatchObject({ status: 200 });
  });

  it('controls executions of others, and leaves its user the own ones', async () => {
    await start('contract');
    await start('payout', operator);
    expect(await statusOf(`${execution('contract')}/cancel`, viewer, {})).toBe(404);
    expect(await statusOf(execution('contract'), viewer)).toBe(200);
    expect(await statusOf(`${execution('contract')}/cancel`, operator, { reason: 'Wrong' })).toBe(200);
    expect(await stateOf('contract')).toMatchObject({ status: 'cancelled' });
    const resumed = await send(`${execution('payout')}/resume`, operator, { resumeData: { approved: true } });
    expect(resumed).toMatchObject({ status: 200 });
    expect(await stateOf('payout')).toMatchObject({ output: { resumedBy: 'olga' } });
  });

  it('gives no ticket for the events of others', async () => {
    await start('contract');
    expect(await statusOf(`${execution('contract')}/stream-ticket`, owner, {})).toBe(404);
  });

  it('deletes the data of others as an owner only', async () => {
    await start('contract');
    await send('/agents/cashier/text', 'ada@acme', { input: 'Hello', options: { conversationId: 'c1' } });
    expect(await statusOf('/api/memory/conversations/c1', operator, undefined, 'DELETE')).toBe(404);
    expect(await statusOf('/api/memory/users/ada', operator, undefined, 'DELETE')).toBe(403);
    expect(await statusOf('/api/memory/conversations/c1', owner, undefined, 'DELETE')).toBe(200);
    expect(await statusOf('/api/memory/users/ada', owner, undefined, 'DELETE')).toBe(200);
    expect(await statusOf(`${execution('contract')}/state`, 'key')).toBe(404);
  });

  it('is recorded with the user', async () => {
    await start('contract');
    await send(`${execution('contract')}/terminate`, operator, {});
    await send('/agents/cashier/text', 'ada', { input: 'Hello', options: { conversationId: 'c1' } });
    await send('/observability/conversations/c1/messages', viewer);
    const { data } = await send('/audit', owner);
    expect(data).toMatchObject({
      records: [
        { action: 'conversation.read', actor: { userId: 'vera', roles: ['support'], channel: 'token' } },
        { action: 'execution.terminate', actor: { userId: 'olga', roles: ['manager'], channel: 'token' } },
      ],
    });
  });
});

describe('a role that is limited', () => {
  it('opens no route that cannot be limited', async () => {
    for (const token of [desk, till, local])
      for (const path of ['/observability/traces', '/api/logs', '/observability/conversations', '/metrics', '/tools'])
        expect([path, await statusOf(path, token)]).toEqual([path, 403]);
  });

  it('lists its agents and workflows, and treats others as unknown', async () => {
    expect(await idsOf('/workflows', desk)).toEqual(['contract', 'outer']);
    expect(await idsOf('/agents', desk)).toEqual([]);
    expect(await idsOf('/agents', till)).toEqual(['cashier']);
    expect(await idsOf('/workflows', till)).toEqual([]);
    for (const [token, path] of [
      [desk, '/workflows/payout'],
      [desk, '/agents/cashier'],
      [till, '/agents/boss'],
      [till, '/workflows/contract'],
    ] as const)
      await expectUnknown(path, token, path.replace(/\w+$/, 'nobody'));
  });

  it('lists, shows and controls executions of its workflows, with their sub-workflows', async () => {
    for (const id of ['contract', 'payout', 'outer']) await start(id);
    expect(await idsOf('/workflows/executions', desk)).toEqual(['outer-1', 'contract-1']);
    expect(await idsOf('/workflows/executions?limit=1', desk)).toEqual(['outer-1']);
    expect(await idsOf('/workflows/executions?workflowId=payout', desk)).toEqual([]);
    const [inner = ''] = await idsOf('/workflows/executions?parentExecutionId=outer-1', desk);
    expect(await statusOf(`/workflows/inner/executions/${inner}/state`, operator)).toBe(200);
    expect(await statusOf(`${execution('contract')}/state`, desk)).toBe(200);
    for (const path of ['', '/state', '/stream'])
      await expectUnknown(`${execution('payout')}${path}`, desk, `/workflows/payout/executions/payout-2${path}`);
    for (const path of ['cancel', 'suspend', 'resume', 'terminate', 'retry'])
      await expectUnknown(`${execution('payout')}/${path}`, desk, `/workflows/payout/executions/payout-2/${path}`, {});
    expect(await stateOf('payout')).toMatchObject({ status: 'suspended' });
    expect(await statusOf(`${execution('contract')}/cancel`, desk, {})).toBe(200);
  });

  it('answers in its workflows only', async () => {
    for (const id of ['contract', 'payout']) await start(id);
    expect((await waiting(desk)).map(({ executionId }) => executionId)).toEqual(['contract-1']);
    const asked = (await waiting(operator)).find(({ executionId }) => executionId === 'payout-1');
    const body = { id: asked?.id, executionId: 'payout-1', resumeData: {} };
    const refused = await send('/approvals/answer', desk, body);
    const unknown = await send('/approvals/answer', desk, { ...body, executionId: 'payout-2' });
    expect([refused.status, refused.text]).toEqual([404, unknown.text]);
  });

  it('answers for its agents only, in conversations', async () => {
    const options = { conversationId: 'c1' };
    expect(await statusOf('/agents/cashier/text', 'ada@acme', { input: 'pay 1', options })).toBe(200);
    expect(await waiting(desk)).toEqual([]);
    const [asked] = await waiting(till);
    expect(asked).toMatchObject({ agentId: 'cashier' });
    // It is unknown of which tenant a user is whose request has no rules.
    expect(await waiting(local)).toEqual([]);
    const body = { id: asked?.id, conversationId: 'c1', approved: false };
    expect(await statusOf('/approvals/answer', desk, body)).toBe(404);
    expect(await statusOf('/approvals/answer', till, body)).toBe(200);
  });

  it('reaches the executions of its tenant only', async () => {
    await start('contract', 'ada@acme');
    await start('payout', 'bob@globex');
    await start('outer', 'eve');
    expect(await idsOf('/workflows/executions', local)).toEqual(['contract-1']);
    expect((await waiting(local)).map(({ executionId }) => executionId)).toEqual(['contract-1']);
    for (const id of ['payout', 'outer']) {
      await expectUnknown(`${execution(id)}/state`, local, `/workflows/${id}/executions/${id}-2/state`);
      await expectUnknown(`${execution(id)}/cancel`, local, `/workflows/${id}/executions/${id}-2/cancel`, {});
    }
    expect(await statusOf(`${execution('contract')}/cancel`, local, {})).toBe(200);
    // Without a tenant, or with one that is none, nobody is of a tenant.
    expect(await statusOf('/workflows/executions', 'lars:local')).toBe(401);
  });

  it('adds no level of another role', async () => {
    await start('contract', 'ada@acme');
    await start('payout', 'bob@globex');
    const both = 'walt@globex:watcher,desk';
    expect(await idsOf('/workflows/executions', both)).toEqual(['payout-1', 'contract-1']);
    expect(await statusOf(`${execution('payout')}/cancel`, both, {})).toBe(404);
    expect(await statusOf(`${execution('contract')}/cancel`, both, {})).toBe(200);
  });

  it('continues a list with `after`, and not with an offset', async () => {
    await start('contract', 'ada@acme');
    await start('payout', 'bob@globex');
    expect(await send('/workflows/executions?offset=1', local)).toMatchObject({ status: 400 });
    expect(await idsOf('/workflows/executions?after=contract-1', local)).toEqual([]);
    const refused = await send('/workflows/executions?after=payout-1', local);
    expect(refused).toMatchObject({ status: 400, text: expect.stringContaining('names no execution') });
  });

  it('finds the few of its tenant behind many of others', async () => {
    await start('contract', 'ada@acme');
    for (let at = 0; at < 60; at += 1)
      await send('/workflows/payout/execute', 'bob@globex', { input: {}, options: { executionId: `other-${at}` } });
    await start('review', 'ada@acme');
    expect(await idsOf('/workflows/executions?limit=50', local)).toEqual(['review-1', 'contract-1']);
    listsRead = 0;
    expect(await idsOf('/workflows/executions?limit=1', local)).toEqual(['review-1']);
    expect(await idsOf('/workflows/executions?limit=1&after=review-1', local)).toEqual(['contract-1']);
    expect(listsRead).toBe(2);
    expect((await waiting(local)).map(({ executionId }) => executionId)).toEqual(['review-1', 'contract-1']);
  });
});

it.each([
  [[], 'must be an object'],
  [{ admin: 'root' }, 'must be "viewer", "operator" or "owner"'],
  [{ admin: { level: 'owner', tenants: ['acme'] } }, 'tenants'],
  [{ admin: { level: 'owner', workflows: 'refund' } }, 'must be lists of ids'],
  [{ admin: { level: 'owner', tenant: 'acme' } }, 'must be "own"'],
  [{ admin: null }, 'must be a level'],
])('refuses invalid roles: %j', (roles, message) => {
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  const create = () => createAccess({ consoleRoles: roles as AuthOptions['consoleRoles'] }, { routes: [], logger });
  expect(create).toThrow(message);
});

it('refuses roles in legacy mode, where tokens open console routes anyway', () => {
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  expect(() => createAccess({ mode: 'legacy', consoleRoles: {} }, { routes: [], logger })).toThrow('policy');
});

/** Expects that something is refused like what does not exist. */
async function expectUnknown(path: string, token: string, unknownPath: string, body?: object): Promise<void> {
  const [known, unknown] = [await send(path, token, body), await send(unknownPath, token, body)];
  const [name = '', other = ''] = path.split('/').flatMap((part, at) => {
    const its = unknownPath.split('/')[at] ?? '';
    return part === its ? [] : [part, its];
  });
  expect([path, known.status, known.code, known.text]).toEqual([
    path,
    404,
    unknown.code,
    unknown.text.replaceAll(other, name),
  ]);
}
