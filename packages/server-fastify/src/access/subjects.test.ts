import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { agents } from '../testing/generation.ts';
import { searchableMemory } from '../testing/memory.ts';
import { type OwnedRequest, type Reply, send, userOf } from '../testing/owned-request.ts';
import { serve, type Served } from '../testing/serve.ts';
import { requestWorkflows, workflows } from '../testing/workflows.ts';

/** Ids as identity providers issue them, and hostile ones. */
const subjects = [
  'ada',
  'Ada',
  'ada.',
  'auth0|5f7c8ec7c33c6c004bbafe82',
  'ada@example.org',
  'https://id.example.org/users/1?x=y#z',
  'anyone',
  'undefined',
  'null',
  '__proto__',
  'constructor',
  "'; drop table conversations; --",
  '%',
  '_',
  '*',
  'org/7',
  'a%2Fb',
  'caf\u00e9',
  '...',
  'a'.repeat(256),
];

let server: Served;
beforeAll(async () => {
  server = await serve([], { agents, workflows, memory: searchableMemory(), userOf });
});
afterAll(() => server.close());

const ask = (as: string, route: string, request: OwnedRequest = {}): Promise<Reply> =>
  send(server.origin, route, as, request);
const rows = async (as: string, route: string, query: Record<string, string> = {}): Promise<Record<string, unknown>> =>
  (JSON.parse((await ask(as, route, { query })).text) as { data: Record<string, unknown> }).data;

it('separates verified users, whatever their ids are', async () => {
  for (const [at, subject] of subjects.entries()) {
    const conversationId = `c-${at}`;
    const messages = [{ role: 'user', content: `tea ${at}` }];
    const replies = [
      await ask(subject, 'POST /api/memory/conversations', { body: { conversationId } }),
      await ask(subject, 'POST /api/memory/save-messages', { body: { conversationId, messages } }),
      await ask(subject, 'POST /agents/:id/text', {
        params: { id: 'plain' },
        body: { input: 'Hi', options: { conversationId } },
      }),
      await ask(subject, 'POST /workflows/:id/execute', {
        params: { id: 'approval' },
        body: { input: { total: at }, options: { executionId: `e-${at}` } },
      }),
    ];
    expect([subject, ...replies.map(({ status }) => status)]).toEqual([subject, 201, 200, 200, 200]);
  }
  for (const [at, subject] of subjects.entries()) {
    expect(await rows(subject, 'GET /api/memory/conversations')).toMatchObject({
      conversations: [{ id: `c-${at}`, userId: subject }],
      total: 1,
    });
    expect(await rows(subject, 'GET /workflows/executions')).toMatchObject([{ id: `e-${at}`, userId: subject }]);
    const { results } = await rows(subject, 'GET /api/memory/search', { searchQuery: 'tea', threshold: '0.9' });
    expect(results).toMatchObject([{ conversationId: `c-${at}`, text: `tea ${at}` }]);
  }
});

it('counts an address without a user as one subject on replicas with the same secret', async () => {
  const storage = createInMemoryStorage();
  const create = vi.spyOn(storage.executions, 'create');
  for (const secret of ['first', ['first', 'old'], 'second', undefined, undefined]) {
    const replica = await serve([], { workflows, storage, ...(secret !== undefined && { secret }) });
    await requestWorkflows(replica.origin, '/approval/execute', { input: { total: 1 } });
    await replica.close();
  }
  const stored = create.mock.calls.map(([, { subject }]) => subject);
  expect(stored.map((subject) => stored.indexOf(subject))).toEqual([0, 0, 2, 3, 4]);
});
