import { once } from 'node:events';
import { Agent, createMemory } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ask, searchableMemory, type Sent, userOf } from '../../../testing/memory.ts';
import { exchange, json, serve, type Served } from '../../../testing/serve.ts';
import { gateOf, requestWorkflows, workflows } from '../../../testing/workflows.ts';

const storage = createInMemoryStorage();
const shared = searchableMemory(storage);
const apart = createMemory({ workingMemory: { scope: 'user' } });

let server: Served;
beforeAll(async () => {
  const agents = [
    new Agent({ id: 'apart', memory: apart, model: scriptedModel('ok') }),
    // These belong to the server's storage too, but must be deleted once only.
    new Agent({ id: 'parts', memory: createMemory({ storage: { ...storage } }), model: scriptedModel('ok') }),
  ];
  server = await serve([], { agents, workflows, storage, memory: shared, userOf });
});
afterAll(() => server.close());

const memories = (path: string, sent?: Sent) => ask(server.origin, path, sent);
const remove = (userId: string, as?: string) => memories(`/users/${userId}`, { method: 'DELETE', as });

/**
 * Conversations with two messages in two memories, working memory, and an ended execution with its
 * telemetry.
 */
async function fill(userId: string): Promise<void> {
  for (const agentId of [undefined, 'apart']) {
    const conversationId = `${userId}-${agentId ?? 'shared'}`;
    await memories('/conversations', { body: { agentId, userId, conversationId } });
    const messages = ['tea', 'maths'].map((content) => ({ role: 'user', content }));
    await memories('/save-messages', { body: { agentId, userId, conversationId, messages } });
    const content = `notes of ${userId}`;
    await memories(`/conversations/${conversationId}/working-memory`, { body: { agentId, userId, content } });
  }
  await requestWorkflows(server.origin, '/sum/execute', {
    input: { a: 1, b: 1 },
    options: { executionId: `${userId}-sum`, userId },
  });
  await shared.flush();
}

/** The amount of data that is stored of a user, by kind. */
async function countsOf(userId: string): Promise<object> {
  const executions = (await requestWorkflows(server.origin, `/executions?userId=${userId}`))
    .data as unknown as unknown[];
  const traces = await fetch(`${server.origin}/observability/traces?entityType=workflow`, {
    headers: { 'x-user': userId },
  });
  return {
    shared: (await memories(`/conversations?userId=${userId}`)).data['total'],
    apart: (await memories(`/conversations?agentId=apart&userId=${userId}`)).data['total'],
    notes: (await apart.storage.workingMemory.read('anyone', { scope: 'user', userId })) !== undefined,
    found: (await memories(`/search?searchQuery=tea&userId=${userId}`)).data['count'],
    executions: executions.length,
    traces: ((await traces.json()) as { data: { total: number } }).data.total,
  };
}

const everything = { shared: 1, apart: 1, notes: true, found: 2, executions: 1, traces: 1 };
const nothing = { shared: 0, apart: 0, notes: false, found: 0, executions: 0, traces: 0 };

it('deletes all data of a user in every memory once, and no data of others', async () => {
  await Promise.all([fill('ada'), fill('grace')]);
  expect(await countsOf('ada')).toEqual(everything);
  expect(await remove('ada')).toMatchObject({
    status: 200,
    data: { deleted: true, conversations: 2, messages: 4, executions: 1 },
  });
  expect(await countsOf('ada')).toEqual(nothing);
  expect(await countsOf('grace')).toEqual(everything);
  expect((await remove('ada')).data).toEqual({ deleted: true, conversations: 0, messages: 0, executions: 0 });
});

it('lets a verified user delete their own data only', async () => {
  await fill('eve');
  expect(await remove('eve', 'mallory')).toMatchObject({ status: 403, code: 'USER_MISMATCH' });
  expect(await countsOf('eve')).toEqual(everything);
  expect(await remove('eve', 'eve')).toMatchObject({ status: 200, data: { conversations: 2 } });
  expect(await countsOf('eve')).toEqual(nothing);
});

interface Exported {
  readonly type: string;
  readonly [field: string]: unknown;
}

async function exported(userId: string, as?: string, path = '/api/memory'): Promise<readonly Exported[]> {
  const response = await fetch(`${server.origin}${path}/users/${userId}/export`, {
    headers: as === undefined ? {} : { 'x-user': as },
  });
  const text = await response.text();
  if (!response.ok) throw new TypeError(text);
  return text.split('\n\n').flatMap((event) => {
    const line = /^data: (.*)$/.exec(event)?.[1];
    return line === undefined ? [] : [JSON.parse(line) as Exported];
  });
}

it('exports all data of a user in every memory once, with times as elsewhere, and no data of others', async () => {
  await Promise.all([fill('uma'), fill('xaver')]);
  const records = await exported('uma');
  const count = (type: string) => records.filter((record) => record.type === type).length;
  expect({
    conversations: count('conversation'),
    messages: count('message'),
    notes: count('working-memory'),
    executions: count('execution'),
  }).toEqual({ conversations: 2, messages: 4, notes: 1, executions: 1 });
  const [first] = records;
  expect(first).toMatchObject({ conversation: { userId: 'uma', createdAt: expect.stringMatching(/^20.*Z$/) } });
  expect(JSON.stringify(records)).not.toContain('xaver');
});

it('exports spans and log records for operators only, because they contain instructions and internal errors', async () => {
  await fill('yara');
  const types = async (path?: string) => new Set((await exported('yara', undefined, path)).map(({ type }) => type));
  expect([...(await types())].toSorted()).toEqual(['conversation', 'execution', 'message', 'working-memory']);
  expect(await types('/observability')).toContain('span');
});

it('keeps the spans of a user whose trace another user has joined', async () => {
  const traceId = 'c0'.repeat(16);
  const run = (userId: string, parent: string): Promise<Response> =>
    fetch(`${server.origin}/workflows/sum/execute`, {
      ...json({ input: { a: 1, b: 1 }, options: { userId } }),
      headers: { 'content-type': 'application/json', traceparent: `00-${traceId}-${parent}-01` },
    });
  const spansOfTrace = async (): Promise<readonly { spanId: string; attributes: object }[]> => {
    const reply = await fetch(`${server.origin}/observability/traces/${traceId}`);
    return ((await reply.json()) as { data: { spans: { spanId: string; attributes: object }[] } }).data.spans;
  };
  await run('joan', '1'.repeat(16));
  const before = await spansOfTrace();
  expect(before.length).toBeGreaterThan(1);
  await run('mallory', before.at(-1)?.spanId ?? '');
  expect((await spansOfTrace()).length).toBe(2 * before.length);
  await remove('mallory');
  expect(await spansOfTrace()).toEqual(before);
  await remove('joan');
  expect((await fetch(`${server.origin}/observability/traces/${traceId}`)).status).toBe(404);
});

it('lets a verified user export their own data only', async () => {
  await fill('wim');
  expect((await exported('wim', 'wim')).length).toBeGreaterThan(5);
  await expect(exported('wim', 'mallory')).rejects.toThrow('userId must be that of the verified user');
});

it.each(['.', '..'])('refuses the id %s, also if it is encoded', async (id) => {
  const path = `/api/memory/users/${id.replaceAll('.', '%2e')}`;
  const reply = await exchange(server.port, `DELETE ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`);
  expect(reply).toMatch(/^HTTP\/1\.1 400/);
  expect(reply).toContain('params/userId must match pattern');
});

it('refuses an invalid id', async () => {
  expect(await remove('a%0Ab')).toMatchObject({
    status: 400,
    error: 'params/userId must match pattern "^(?!\\.{1,2}$)[^\\x00-\\x1f\\x7f-\\x9f]+$"',
  });
});

it('stops running executions of the user and deletes them', async () => {
  const answer = requestWorkflows(server.origin, '/gated/execute', {
    input: { gate: 'deleted' },
    options: { executionId: 'gated-1', userId: 'lone' },
  });
  const signal = await gateOf('deleted').entered;
  const aborted = once(signal, 'abort');
  expect((await remove('lone')).data).toMatchObject({ executions: 1 });
  await aborted;
  gateOf('deleted').open();
  expect(await answer).toMatchObject({ status: 404, code: 'EXECUTION_NOT_FOUND' });
  expect(await requestWorkflows(server.origin, '/gated/executions/gated-1')).toMatchObject({ status: 404 });
});
