import type { Message } from '@halyard/contracts';
import { createInMemoryVectorStore } from '@halyard/memory-in-memory';
import { expect, it } from 'vitest';
import { keywordEmbedding } from '../../testing/keyword-embedding.ts';
import { createMemory, type Memory } from '../memory.ts';
import { searchableMemory, words } from '../testing/searchable-memory.ts';
import { textMessage } from '../testing/text-message.ts';

const ada = { user: 'ada' };

it('finds texts by meaning, best matches first, with their users', async () => {
  const { memory } = await searchableMemory();
  await memory.save(ada, 'c1', [
    textMessage('m1', 'user', 'I like tea'),
    textMessage('m2', 'assistant', 'tea and maths'),
  ]);
  await memory.save('anyone', 'c3', [textMessage('m1', 'user', 'tea for Bob')]);
  await memory.flush();

  const matches = await memory.search('anyone', { query: 'Tea?', limit: 10, threshold: 0 });

  expect(matches.map(({ conversationId, messageId }) => `${conversationId}/${messageId}`).toSorted()).toEqual([
    'c1/m1',
    'c1/m2',
    'c3/m1',
  ]);
  expect(matches.at(-1)).toEqual({
    conversationId: 'c1',
    messageId: 'm2',
    userId: 'ada',
    role: 'assistant',
    text: 'tea and maths',
    createdAt: expect.any(Number),
    score: expect.closeTo(Math.SQRT1_2, 5),
  });
  expect(matches[0]?.score).toBeCloseTo(1, 5);
});

it('finds only texts of the owner, in the requested conversation and above the requested score', async () => {
  const { memory } = await searchableMemory();
  await memory.save(ada, 'c1', [textMessage('m1', 'user', 'tea'), textMessage('m2', 'user', 'tea and maths')]);
  await memory.save(ada, 'c2', [textMessage('m3', 'user', 'tea')]);
  await memory.save('anyone', 'c3', [textMessage('m4', 'user', 'tea')]);
  await memory.flush();
  const ids = async (...[owner, filter]: [Parameters<Memory['search']>[0], object]): Promise<string[]> => {
    const matches = await memory.search(owner, { query: 'tea', limit: 10, threshold: 0, ...filter });
    return matches.map(({ messageId }) => messageId).toSorted();
  };

  expect(await ids('anyone', {})).toEqual(['m1', 'm2', 'm3', 'm4']);
  expect(await ids(ada, {})).toEqual(['m1', 'm2', 'm3']);
  expect(await ids('anyone', { userId: 'bob' })).toEqual(['m4']);
  expect(await ids(ada, { userId: 'bob' })).toEqual([]);
  expect(await ids(ada, { conversationId: 'c1' })).toEqual(['m1', 'm2']);
  expect(await ids(ada, { threshold: 0.9 })).toEqual(['m1', 'm3']);
  expect(await ids(ada, { limit: 1 })).toHaveLength(1);
});

it('cannot search without an embedding model and vectors, and requires both or none', async () => {
  const memory = createMemory();

  expect(memory.canSearch).toBe(false);
  await expect(memory.search('anyone', { query: 'x', limit: 1, threshold: 0 })).rejects.toMatchObject({
    kind: 'invalid-input',
    code: 'SEARCH_NOT_CONFIGURED',
  });
  expect(() => createMemory({ embedding: keywordEmbedding([]) })).toThrow('both `embedding` and `vectors`');
  expect(() => createMemory({ vectors: createInMemoryVectorStore() })).toThrow('both `embedding` and `vectors`');
  expect(() => createMemory({ semanticRecall: true })).toThrow('semanticRecall');
});

it('reports that the embedding model failed, without the message of the provider', async () => {
  const { memory } = await searchableMemory({ embedding: keywordEmbedding(words, { errors: [new Error('secret')] }) });

  await expect(memory.search('anyone', { query: 'x', limit: 1, threshold: 0 })).rejects.toMatchObject({
    code: 'EMBEDDING_FAILED',
    message: 'The embedding model failed',
  });
});

it('embeds in batches in the background, and only messages with a text', async () => {
  const embedding = keywordEmbedding(words);
  const { memory, found } = await searchableMemory({ embedding });
  const pick: Message = {
    id: 'm0',
    role: 'assistant',
    parts: [{ type: 'step-start' }, { type: 'tool-pick', toolCallId: 'x', state: 'input-available', input: {} }],
  };

  await memory.save(ada, 'c1', [pick, textMessage('m1', 'user', 'tea'), textMessage('m2', 'user', '  ')]);
  await memory.save(ada, 'c2', [textMessage('m3', 'user', 'tea')]);
  expect(embedding.calls).toEqual([]);
  await memory.flush();

  expect(embedding.calls).toEqual([['tea', 'tea']]);
  expect(await found('tea')).toEqual(['m1', 'm3']);
});

it('embeds the text parts of a message, up to 6000 characters', async () => {
  const embedding = keywordEmbedding(words);
  const { memory } = await searchableMemory({ embedding });
  const parts: Message['parts'] = [
    { type: 'reasoning', text: 'hm' },
    { type: 'text', text: 'One' },
    { type: 'text', text: 'two' },
  ];
  await memory.save(ada, 'c1', [
    { id: 'm1', role: 'assistant', parts },
    textMessage('m2', 'user', `${'x'.repeat(5999)}😀tail`),
  ]);
  await memory.flush();

  expect(embedding.calls).toEqual([['One\ntwo', 'x'.repeat(5999)]]);
});

it('embeds a query again that only another user has sent', async () => {
  const embedding = keywordEmbedding(words);
  const { memory } = await searchableMemory({ embedding });
  const search = { query: 'tea', limit: 10, threshold: 0.5 };

  await memory.search(ada, search);
  await memory.search(ada, search);
  await memory.search('anyone', { ...search, userId: 'ada' });
  expect(embedding.calls).toEqual([['tea']]);
  await memory.search({ user: 'bob' }, search);
  await memory.search('anyone', search);
  expect(embedding.calls).toEqual([['tea'], ['tea'], ['tea']]);
  await memory.save({ user: 'bob' }, 'c3', [textMessage('m1', 'user', 'tea')]);
  await memory.flush();
  expect(embedding.calls).toHaveLength(3);
});

it('embeds a message whose text only another user has searched for', async () => {
  const embedding = keywordEmbedding(words);
  const { memory, found } = await searchableMemory({ embedding });
  await memory.search(ada, { query: 'tea', limit: 10, threshold: 0.5 });

  await memory.save({ user: 'bob' }, 'c3', [textMessage('m1', 'user', 'tea')]);
  await memory.flush();

  expect(embedding.calls).toEqual([['tea'], ['tea']]);
  expect(await found('tea')).toEqual(['m1']);
});

it('finds the messages of a copied conversation', async () => {
  const { memory, found } = await searchableMemory();
  const many = Array.from({ length: 1200 }, (_, index) => textMessage(`m${index}`, 'user', `maths ${index}`));
  await memory.save(ada, 'c1', many);
  await memory.clone(ada, { id: 'c1', newId: 'c4', includeMessages: true });
  await memory.flush();

  const matches = await memory.search(ada, { query: 'maths', conversationId: 'c4', limit: 2000, threshold: 0.5 });
  expect(matches).toHaveLength(1200);
  expect(await found('maths')).toHaveLength(100);
  await expect(memory.clone(ada, { id: 'c1', newId: 'c2', includeMessages: true })).rejects.toMatchObject({
    code: 'CONVERSATION_EXISTS',
  });
});
