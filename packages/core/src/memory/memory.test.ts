import type { NewConversation } from '@halyard/contracts';
import { createInMemoryVectorStore } from '@halyard/memory-in-memory';
import { Type } from '@sinclair/typebox';
import { expect, it } from 'vitest';
import { keywordEmbedding } from '../testing/keyword-embedding.ts';
import type { MemoryOptions } from './memory-options.ts';
import { createMemory } from './memory.ts';

const ada = { user: 'ada' };
const bob = { user: 'bob' };
const conversation: NewConversation = { id: 'c1', userId: 'ada', resourceId: 'helper', title: '', metadata: {} };
const notFound = { kind: 'not-found', code: 'CONVERSATION_NOT_FOUND' };

it('stores conversations in this process by default', async () => {
  const memory = createMemory();
  const created = await memory.create(conversation);
  await memory.save(ada, 'c1', [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }]);

  expect(created).toMatchObject(conversation);
  expect(await memory.get(ada, 'c1')).toMatchObject({ id: 'c1', resourceId: 'helper' });
  expect((await memory.messages(ada, 'c1', { limit: 5 })).messages).toMatchObject([{ id: 'm1', role: 'user' }]);
  expect(await memory.update(ada, 'c1', { title: 'Greeting' })).toMatchObject({ title: 'Greeting' });
  expect(await memory.clone(ada, { id: 'c1', newId: 'c2', includeMessages: true })).toMatchObject({
    conversation: { id: 'c2', title: 'Greeting' },
    messageCount: 1,
  });
  const filter = { orderBy: 'updatedAt', direction: 'desc', limit: 1, offset: 0 } as const;
  expect(await memory.list(ada, filter)).toMatchObject({ conversations: [{}], total: 2 });
  expect(await memory.deleteMessages(ada, 'c1', ['m1', 'm2'])).toBe(1);
  await memory.delete(ada, 'c1');
  await expect(memory.get(ada, 'c1')).rejects.toMatchObject(notFound);
  await memory.deleteUser('ada');
  await memory.close();
});

it('treats a conversation of another owner like one that does not exist', async () => {
  const memory = createMemory();
  await memory.create(conversation);

  for (const [owner, id] of [
    [bob, 'c1'],
    [ada, 'nope'],
  ] as const) {
    const clone = { id, newId: 'c2', includeMessages: true };
    await expect(memory.get(owner, id)).rejects.toMatchObject(notFound);
    await expect(memory.update(owner, id, { title: 'x' })).rejects.toMatchObject(notFound);
    await expect(memory.delete(owner, id)).rejects.toMatchObject(notFound);
    await expect(memory.clone(owner, clone)).rejects.toMatchObject(notFound);
    await expect(memory.messages(owner, id, { limit: 1 })).rejects.toMatchObject(notFound);
    await expect(memory.save(owner, id, [])).rejects.toMatchObject(notFound);
    await expect(memory.deleteMessages(owner, id, ['m1'])).rejects.toMatchObject(notFound);
  }
});

it('creates no second conversation with an id, whoever owns the first', async () => {
  const memory = createMemory();
  await memory.create(conversation);
  const exists = { kind: 'conflict', code: 'CONVERSATION_EXISTS' };

  await expect(memory.create({ ...conversation, userId: 'bob' })).rejects.toMatchObject(exists);
  await expect(memory.clone(ada, { id: 'c1', newId: 'c1', includeMessages: false })).rejects.toMatchObject(exists);
});

it('returns its settings', () => {
  expect(createMemory().config).toEqual({
    contextLimit: 10,
    workingMemory: null,
    semanticRecall: null,
    titles: false,
    persistence: { mode: 'step', debounceMs: 200, flushOnToolResult: true },
  });
  expect(
    createMemory({
      vectors: createInMemoryVectorStore(),
      embedding: keywordEmbedding([]),
      contextLimit: 0,
      workingMemory: { scope: 'user', schema: Type.Object({}) },
      titles: { maxLength: 20 },
      semanticRecall: { scope: 'user', semanticLimit: 3 },
      persistence: { mode: 'finish' },
    }).config,
  ).toEqual({
    contextLimit: 0,
    workingMemory: { scope: 'user', format: 'json' },
    semanticRecall: { semanticLimit: 3, semanticThreshold: 0.7, mergeStrategy: 'append', scope: 'user' },
    titles: true,
    persistence: { mode: 'finish', debounceMs: 200, flushOnToolResult: true },
  });
});

it.each<[string, MemoryOptions]>([
  ['contextLimit', { contextLimit: -1 }],
  ['persistence.debounceMs', { persistence: { debounceMs: Number.NaN } }],
  ['titles.maxLength', { titles: { maxLength: 0 } }],
  ['semanticRecall.semanticThreshold', { semanticRecall: { enabled: false, semanticThreshold: 2 } }],
  ['persistence.mode', { persistence: { mode: 'steps' as never } }],
  ['semanticRecall.mergeStrategy', { semanticRecall: { enabled: false, mergeStrategy: 'mix' as never } }],
  ['semanticRecall.semanticLimit', { semanticRecall: { enabled: false, semanticLimit: 1.5 } }],
])('refuses an invalid option: %s', (name, options) => {
  expect(() => createMemory(options)).toThrow(name);
});
