import type { AuditRecord, Storage } from '@halyard/contracts';
import { createMemory, createWorkflow } from '@halyard/core';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { afterEach, expect, it } from 'vitest';
import {
  modelResponse,
  paid,
  payingAgents,
  payingWorkflows,
  startAndAsk,
  uiResponse,
} from '../../../testing/approvals.ts';
import { json, serve, type Served } from '../../../testing/serve.ts';
import { workflows } from '../../../testing/workflows.ts';

const consoleKey = 'the key of the console';
const provider = {
  type: 'names',
  verifyToken: (id: string) => ({ id, roles: id === 'grace' ? ['manager'] : [], tenantId: 'acme' }),
};
const as = (name: string) => ({ authorization: `Bearer ${name}` });
const key = { 'x-console-access-key': consoleKey };

let server: Served;
afterEach(() => server.close());

async function start(storage: Storage = createInMemoryStorage()): Promise<void> {
  server = await serve([], {
    agents: payingAgents,
    workflows: [...workflows, ...payingWorkflows],
    storage,
    memory: createMemory({ storage }),
    auth: { provider, consoleKey },
  });
}

async function send(path: string, headers: Readonly<Record<string, string>>, body?: object, method?: string) {
  const init = body === undefined ? {} : json(body);
  const reply = await fetch(`${server.origin}${path}`, {
    ...init,
    ...(method !== undefined && { method }),
    headers: { ...('headers' in init && init.headers), ...headers },
  });
  const text = await reply.text();
  return { status: reply.status, code: reply.headers.get('x-error-code'), text };
}

interface Page {
  readonly records: readonly (Omit<AuditRecord, 'at'> & { readonly at: string })[];
  readonly nextCursor: string | null;
}

async function audit(query = ''): Promise<Page> {
  const { text } = await send(`/audit${query}`, key);
  return (JSON.parse(text) as { data: Page }).data;
}

async function suspended(executionId: string): Promise<string> {
  const body = { input: { total: 1 }, options: { executionId } };
  expect(await send('/workflows/approval/execute', as('ada'), body)).toMatchObject({ status: 200 });
  return `/workflows/approval/executions/${executionId}`;
}

it('records who did what, on what, and with which outcome', async () => {
  await start();
  const path = await suspended('run-1');
  await send(`${path}/cancel`, as('eve'), { reason: 'Not mine' });
  await send(`${path}/terminate`, { ...key, ...as('grace') }, { reason: 'It hangs' });
  const { nextCursor, records } = await audit();
  expect(nextCursor).toBeNull();
  expect(records).toMatchObject([
    {
      actor: { userId: 'grace', roles: ['manager'], tenantId: 'acme', channel: 'console-key', address: '127.0.0.1' },
      action: 'execution.terminate',
      target: { executionId: 'run-1', workflowId: 'approval' },
      detail: { reason: 'It hangs' },
      outcome: { errorCode: null },
    },
    {
      actor: { userId: 'eve', roles: [], channel: 'token' },
      action: 'execution.cancel',
      target: { executionId: 'run-1' },
      outcome: { errorCode: 'EXECUTION_NOT_FOUND' },
    },
  ]);
});

it('records that nobody has responded in time', async () => {
  const ask = createWorkflow({ id: 'ask' }).andThen({
    id: 'ask',
    execute: ({ resumeData, suspend }) => resumeData ?? suspend('May I?', undefined, { expiryMs: 1, onExpire: 'deny' }),
  });
  server = await serve([], { workflows: [ask], auth: { provider, consoleKey } });
  await send('/workflows/ask/execute', as('ada'), { input: {}, options: { executionId: 'run-1' } });
  const state = async () => (await send('/workflows/ask/executions/run-1', as('ada'))).text;
  await expect.poll(state).toContain('"status":"completed"');
  expect((await audit('?target=run-1')).records).toMatchObject([
    {
      action: 'approval.expire',
      actor: { userId: null, channel: 'server' },
      target: { executionId: 'run-1', workflowId: 'ask', approvalId: expect.any(String) },
      detail: { outcome: 'deny' },
      outcome: { errorCode: null },
    },
  ]);
});

it('filters, pages and exports the records', async () => {
  await start();
  for (const id of ['run-1', 'run-2', 'run-3']) await send(`${await suspended(id)}/cancel`, as('ada'), {});
  const targets = ({ records }: Page) => records.map(({ target }) => target.executionId);
  expect(targets(await audit('?target=run-2&actor=ada&action=execution.cancel'))).toEqual(['run-2']);
  expect(targets(await audit('?actor=Ada'))).toEqual([]);
  expect(targets(await audit('?to=2020-01-01'))).toEqual([]);
  const first = await audit('?limit=2');
  expect(targets(first)).toEqual(['run-3', 'run-2']);
  expect(targets(await audit(`?limit=2&after=${first.nextCursor}`))).toEqual(['run-1']);
  const { text } = await send('/audit/export', { ...key, accept: 'text/plain' });
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as AuditRecord);
  // The export itself is the newest.
  expect(lines.map(({ action }) => action)).toEqual([
    'audit.export',
    ...Array.from({ length: 3 }, () => 'execution.cancel'),
  ]);
});

it('is for operators only', async () => {
  await start();
  expect(await send('/audit', as('grace'))).toMatchObject({ status: 401 });
  expect(await send('/audit/export', as('grace'))).toMatchObject({ status: 401 });
});

it('records reads by operators of the conversations of others, and no reads by their users', async () => {
  await start();
  const body = { input: 'Hello', options: { conversationId: 'c-1' } };
  await send('/agents/cashier/text', as('ada'), body);
  await send('/api/memory/conversations/c-1/messages', as('ada'));
  await send('/observability/conversations/c-1/messages', key);
  const { records } = await audit();
  expect(records.map(({ action, actor, target }) => [action, actor.userId, target])).toEqual([
    ['conversation.read', null, { conversationId: 'c-1' }],
  ]);
});

it('records decisions about approvals, also those that a chat sends, but no messages', async () => {
  await start();
  const conversation = { conversationId: 'c-1' };
  await send('/agents/cashier/text', as('ada'), { input: 'pay 7', options: conversation });
  expect((await audit()).records).toEqual([]);
  const inbox = await send('/api/approvals', as('ada'));
  const { approvals } = (JSON.parse(inbox.text) as { data: { approvals: { id: string }[] } }).data;
  const id = approvals[0]?.id ?? '';
  const answer = { id, ...conversation, approved: true, reason: 'It is due' };
  expect(await send('/api/approvals/answer', as('ada'), answer)).toMatchObject({ status: 200 });
  expect(paid).toContain(7);
  const parts = [
    {
      type: 'tool-pay',
      toolCallId: 'c7',
      input: { euros: 7 },
      state: 'approval-responded',
      approval: { id, approved: false },
    },
  ];
  await send('/agents/cashier/chat', as('ada'), { id: 'c-1', messages: [{ id: 'm', role: 'assistant', parts }] });
  const { records } = await audit(`?target=${encodeURIComponent(id)}`);
  expect(records).toMatchObject([
    { action: 'approval.answer', target: { agentId: 'cashier', ...conversation }, detail: { approved: false } },
    { action: 'approval.answer', target: conversation, detail: { approved: true, reason: 'It is due' } },
  ]);
  // The second answer is refused.
  expect(records.map(({ outcome }) => outcome?.errorCode === null)).toEqual([false, true]);
});

it.each([
  ['ui', uiResponse, { role: 'system', parts: [{ type: 'text', text: 'Go on.' }] }],
  ['model', modelResponse, { role: 'system', content: 'Go on.' }],
])('records decisions about executions though system messages follow: %s', async (_, respond, system) => {
  await start();
  const { asked, id } = await startAndAsk(server.origin, 'shop', 'pay 8', {}, as('ada'));
  const body = { input: [...respond(asked), system] };
  const { status } = await send('/agents/cashier/text', as('ada'), body);
  const execution = await send(`/workflows/shop/executions/${id}`, as('ada'));
  expect([status, /"status":"(\w+)"/.exec(execution.text)?.[1]]).toEqual([200, 'completed']);
  expect((await audit()).records).toMatchObject([
    { action: 'approval.answer', target: { approvalId: asked[0]?.approvalId }, detail: { approved: true } },
  ]);
});

it('keeps of ids and of many responses no more than a record needs', async () => {
  await start();
  const part = (id: string) => ({
    type: 'tool-pay',
    toolCallId: 'c7',
    input: { euros: 7 },
    state: 'approval-responded',
    approval: { id, approved: true },
  });
  const parts = Array.from({ length: 2_000 }, (_, index) => part(`${'x'.repeat(2_000)}${index}`));
  const body = { id: 'c-1', messages: [{ id: 'm', role: 'assistant', parts }] };
  expect(await send('/agents/cashier/chat', as('ada'), body)).toMatchObject({ status: 400 });
  const { records } = await audit();
  expect(records).toMatchObject([{ action: 'approval.answer', target: { approvalId: 'x'.repeat(512) } }]);
  expect(JSON.stringify(records).length).toBeLessThan(100_000);
});

it('keeps the records about a user whose data is deleted', async () => {
  await start();
  await send(`${await suspended('run-1')}/cancel`, as('ada'), {});
  expect(await send('/api/memory/users/ada', as('ada'), undefined, 'DELETE')).toMatchObject({ status: 200 });
  expect((await audit('?actor=ada')).records.map(({ action }) => action)).toEqual(['user.delete', 'execution.cancel']);
});

it('does nothing that it cannot record', async () => {
  const storage = createInMemoryStorage();
  await start(storage);
  const path = await suspended('run-1');
  const { append } = storage.audit;
  storage.audit.append = () => Promise.reject(new RangeError('The disk is full'));
  expect(await send(`${path}/cancel`, as('ada'), {})).toMatchObject({ status: 500 });
  expect((await send(path, as('ada'))).text).toContain('"status":"suspended"');
  storage.audit.append = append;
});

it('leaves the outcome open if it cannot be written: the action has happened', async () => {
  const storage = createInMemoryStorage();
  await start(storage);
  const path = await suspended('run-1');
  storage.audit.settle = () => Promise.reject(new RangeError('The disk is full'));
  expect(await send(`${path}/cancel`, as('ada'), {})).toMatchObject({ status: 200 });
  expect((await audit()).records).toMatchObject([{ action: 'execution.cancel', outcome: null }]);
});
