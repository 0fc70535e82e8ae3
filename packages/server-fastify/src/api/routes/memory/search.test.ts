import { Agent, createMemory } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, failingMemory, type Reply, searchableMemory, userOf } from '../../../testing/memory.ts';
import { serve, type Served } from '../../../testing/serve.ts';

const memory = searchableMemory();
let server: Served;
beforeAll(async () => {
  const agent = (id: string, own?: typeof memory) =>
    new Agent({ id, model: scriptedModel('ok'), ...(own !== undefined && { memory: own }) });
  const agents = [agent('plain', createMemory()), agent('failing', failingMemory())];
  server = await serve([], { agents, memory, userOf });
  for (const [conversationId, userId] of [
    ['a1', 'ada'],
    ['a2', 'ada'],
    ['e1', 'eve'],
  ]) {
    await ask(server.origin, '/conversations', { body: { userId, conversationId } });
    const messages = ['I like tea', 'Maths is fun', 'Roses, roses, tea'].map((content, at) => ({
      id: `${conversationId}-${at}`,
      role: at === 1 ? 'assistant' : 'user',
      content,
    }));
    await ask(server.origin, '/save-messages', { body: { userId, conversationId, messages } });
  }
  await memory.flush();
});
afterAll(() => server.close());

const search = (query: string, as?: string): Promise<Reply> => ask(server.origin, `/search?${query}`, { as });
const idsOf = ({ data }: Reply) => (data['results'] as { messageId: string }[]).map(({ messageId }) => messageId);

describe('searching', () => {
  it('returns messages by meaning, best match first', async () => {
    const reply = await search('searchQuery=some%20tea%3F&conversationId=a1&threshold=0.1');
    expect(reply).toMatchObject({ status: 200, data: { count: 2, query: 'some tea?' } });
    expect(idsOf(reply)).toEqual(['a1-0', 'a1-2']);
    expect((reply.data['results'] as object[])[0]).toEqual({
      messageId: 'a1-0',
      conversationId: 'a1',
      role: 'user',
      text: 'I like tea',
      score: expect.closeTo(1),
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
  });

  it('returns at most ten messages unless the request sets a limit', async () => {
    const all = await search('searchQuery=tea');
    expect(all.data['count']).toBe(9);
    const scores = (all.data['results'] as { score: number }[]).map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(scores.every((score) => score >= 0 && score <= 1)).toBe(true);
    expect((await search('searchQuery=tea&limit=2')).data['count']).toBe(2);
    expect((await search('searchQuery=tea&threshold=0.99')).data['count']).toBe(3);
  });

  it('finds nothing in an unknown conversation', async () => {
    expect(await search('searchQuery=tea&conversationId=nowhere')).toMatchObject({ status: 200, data: { count: 0 } });
  });

  it('finds only messages of the verified user, or of the named user if none is verified, with any limit', async () => {
    expect(idsOf(await search('searchQuery=tea', 'eve')).every((id) => id.startsWith('e1'))).toBe(true);
    expect(idsOf(await search('searchQuery=tea&limit=3', 'eve'))).toHaveLength(3);
    expect(await search('searchQuery=tea&conversationId=a1', 'eve')).toMatchObject({ data: { count: 0 } });
    expect(await search('searchQuery=tea&userId=ada', 'eve')).toMatchObject({ status: 403, code: 'USER_MISMATCH' });
    expect(await search('searchQuery=tea&userId=eve', 'eve')).toMatchObject({ data: { count: 3 } });
    expect(await search('searchQuery=tea&userId=eve')).toMatchObject({ data: { count: 3 } });
  });

  it.each([
    ['', "query must have required property 'searchQuery'"],
    ['searchQuery=', 'query/searchQuery must NOT have fewer than 1 characters'],
    ['searchQuery=x&limit=0', 'query/limit must be >= 1'],
    ['searchQuery=x&limit=101', 'query/limit must be <= 100'],
    ['searchQuery=x&threshold=2', 'query/threshold must be <= 1'],
    ['searchQuery=x&threshold=-1', 'query/threshold must be >= 0'],
    ['searchQuery=x&threshold=x', 'query/threshold must be number'],
    ['searchQuery=x&conversationId=a%20b', expect.stringContaining('query/conversationId must match pattern')],
  ])('refuses ?%s', async (query, error) => {
    expect(await search(query)).toMatchObject({ status: 400, code: 'INVALID_INPUT', error });
  });

  it('is refused if the memory cannot search', async () => {
    expect(await search('searchQuery=tea&agentId=plain')).toMatchObject({ status: 400, code: 'SEARCH_NOT_CONFIGURED' });
  });

  it('does not reveal why a provider failed', async () => {
    expect(await search('searchQuery=tea&agentId=failing')).toMatchObject({
      status: 500,
      code: 'EMBEDDING_FAILED',
      error: 'The embedding model failed',
    });
  });
});
