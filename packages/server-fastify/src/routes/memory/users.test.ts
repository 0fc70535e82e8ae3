import { once } from 'node:events';
import { Agent, createMemory } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ask, searchableMemory, type Sent, userOf } from '../../testing/memory.ts';
import { serve, type Served } from '../../testing/serve.ts';
import { gateOf, tell, workflows } from '../../testing/workflows.ts';

const storage = createInMemoryStorage();
const shared = searchableMemory(storage);
const apart = createMemory({ workingMemory: { scope: 'user' } });

let server: Served;
beforeAll(async () => {
  const agents = [
    new Agent({ id: 'apart', memory: apart, model: scriptedModel('ok') }),
    // Parts of the server's storage: deleted once all the same.
    new Agent({ id: 'parts', memory: createMemory({ storage: { ...storage } }), model: scriptedModel('ok') }),
  ];
  server = await serve([], {
    agents,
    workflows,
    storage,
    memory: shared,
    userOf,
    leaseMs: 300,
  });
});
afterAll(() => server.close());

const memories = (path: string, sent?: Sent) => ask(server.origin, path, sent);
const remove = (userId: string, as?: string) => memories(`/users/${userId}`, { method: 'DELETE', as });

/** Conversations with two messages in two memories, notes, and an execution that has ended, with what was recorded of it. */
async function fill(userId: string): Promise<void> {
  for (const agentId of [undefined, 'apart']) {
    const conversationId = `${userId}-${agentId ?? 'shared'}`;
    await memories('/conversations', { body: { agentId, userId, conversationId } });
    const messages = ['tea', 'maths'].map((content) => ({ role: 'user', content }));
    await memories('/save-messages', { body: { agentId, userId, conversationId, messages } });
    const content = `notes of ${userId}`;
    await memories(`/conversations/${conversationId}/working-memory`, { body: { agentId, userId, content } });
  }
  await tell(server.origin, '/sum/execute', {
    input: { a: 1, b: 1 },
    options: { executionId: `${userId}-sum`, userId },
  });
  await shared.flush();
}

/** How much there is of a user, wherever it is kept. */
async function countsOf(userId: string): Promise<object> {
  const executions = (await tell(server.origin, `/executions?userId=${userId}`)).data as unknown as unknown[];
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

it('deletes all of a user in every memory, each thing once, and nothing of others', async () => {
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

it('lets a verified user delete themselves, and nobody else', async () => {
  await fill('eve');
  expect(await remove('eve', 'mallory')).toMatchObject({ status: 403, code: 'USER_MISMATCH' });
  expect(await countsOf('eve')).toEqual(everything);
  expect(await remove('eve', 'eve')).toMatchObject({ status: 200, data: { conversations: 2 } });
  expect(await countsOf('eve')).toEqual(nothing);
});

it('refuses what cannot be an id', async () => {
  expect(await remove('a%20b')).toMatchObject({
    status: 400,
    error: 'params/userId must match pattern "^[A-Za-z0-9_.:-]{1,128}$"',
  });
});

it('stops executions of the user that run, which leave nothing', async () => {
  const answer = tell(server.origin, '/held/execute', {
    input: { gate: 'deleted' },
    options: { executionId: 'held-1', userId: 'lone' },
  });
  const signal = await gateOf('deleted').entered;
  const told = once(signal, 'abort');
  expect((await remove('lone')).data).toMatchObject({ executions: 1 });
  await told;
  gateOf('deleted').open();
  expect(await answer).toMatchObject({ status: 404, code: 'EXECUTION_NOT_FOUND' });
  expect(await tell(server.origin, '/held/executions/held-1')).toMatchObject({ status: 404 });
});
