import { createMemory } from '@halyard/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { agents } from '../../../testing/generation.ts';
import { json, serve, type Served } from '../../../testing/serve.ts';
import { workflows } from '../../../testing/workflows.ts';

let server: Served;
beforeAll(async () => {
  server = await serve([], { agents, workflows, memory: createMemory() });
});
afterAll(() => server.close());

const post = (path: string, body: object): Promise<Response> => fetch(server.origin + path, json(body));
const dataOf = async (reply: Response): Promise<unknown> => ((await reply.json()) as { data: unknown }).data;

/**
 * Ids of identity providers. Those that differ only in normalisation, case or encoding are
 * different users.
 */
const userIds = [
  'auth0|507f1f77bcf86cd799439011',
  'google-oauth2|1080',
  'ada+tag@example.org',
  'Ada+tag@example.org',
  'org/7',
  'org%2F7',
  '../ada',
  '...',
  'a?b#c&d=e',
  '用户',
  'caf\u00e9',
  'cafe\u0301',
  ' ',
  '𝒳'.repeat(256),
];

it('stores, lists, exports and deletes the data of a user with any id, and of no other', async () => {
  const ids = userIds.map((userId, at) => ({ userId, id: encodeURIComponent(userId), at }));
  for (const { userId, at } of ids) {
    const conversation = { userId, resourceId: userId, conversationId: `c-${at}` };
    expect((await post('/api/memory/conversations', conversation)).status).toBe(201);
    const options = { userId, conversationId: `c-${at}` };
    expect((await post('/agents/plain/text', { input: 'Hi', options })).status).toBe(200);
    const run = { input: { a: 1, b: 1 }, options: { userId, executionId: `e-${at}` } };
    expect((await post('/workflows/sum/execute', run)).status).toBe(200);
  }
  for (const { id, at } of ids) {
    const read = async (path: string): Promise<unknown> => dataOf(await fetch(server.origin + path));
    const conversations = { conversations: [{ id: `c-${at}` }], total: 1 };
    expect(await read(`/api/memory/conversations?userId=${id}`)).toMatchObject(conversations);
    expect(await read(`/api/memory/conversations?resourceId=${id}`)).toMatchObject(conversations);
    expect(await read(`/workflows/executions?userId=${id}`)).toMatchObject([{ id: `e-${at}` }]);
    expect(await read(`/agents/plain/history?userId=${id}`)).toMatchObject({ total: 1 });
    expect(await read(`/observability/traces?userId=${id}`)).toMatchObject({ total: 2 });
    for (const base of ['/api/memory', '/observability']) {
      const reply = await fetch(`${server.origin}${base}/users/${id}/export`);
      expect([reply.status, await reply.text()]).toEqual([200, expect.stringContaining(`"c-${at}"`)]);
    }
  }
  for (const { id, at } of ids) {
    const reply = await fetch(`${server.origin}/api/memory/users/${id}`, { method: 'DELETE' });
    expect(await dataOf(reply)).toEqual({ deleted: true, conversations: 1, messages: 2, executions: 1 });
    const left = await dataOf(await fetch(`${server.origin}/api/memory/conversations`));
    expect(left).toMatchObject({ total: ids.length - at - 1 });
  }
});

it.each(['', '.', '..', 'a\0', 'a\nb', 'a\u007f', '\u0085', '\ud800', 'x'.repeat(257), `${'𝒳'.repeat(256)}x`])(
  'refuses %j as the id of a user',
  async (userId) => {
    const replies = [
      await post('/agents/plain/text', { input: 'Hi', options: { userId } }),
      await post('/api/memory/conversations', { userId }),
      await post('/workflows/sum/execute', { input: { a: 1, b: 1 }, options: { userId } }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([400, 400, 400]);
  },
);
