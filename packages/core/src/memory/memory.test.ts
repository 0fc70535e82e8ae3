import { ConfigurationError, type NewConversation, silentLogger } from '@halyard/contracts';
import { createInMemoryStorage, createInMemoryVectorStore } from '@halyard/memory-in-memory';
import { Type } from '@sinclair/typebox';
import { describe, expect, it } from 'vitest';
import { summaryMessage } from '../conversation/summary.ts';
import { keywordEmbedding } from '../testing/keyword-embedding.ts';
import { scriptedModel } from '../testing/scripted-model.ts';
import { defaultMemoryLimits, type MemoryOptions, type MemoryStorage, type MergeStrategy } from './memory-options.ts';
import { createMemory } from './memory.ts';
import { searchableMemory } from './testing/searchable-memory.ts';
import { textMessage } from './testing/text-message.ts';

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

it('creates no second conversation with an id of any owner', async () => {
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

const searching = (): MemoryOptions => ({ vectors: createInMemoryVectorStore(), embedding: keywordEmbedding([]) });

it('has the settings of its options, and defaults for all others', () => {
  const recall = { semanticLimit: 5, semanticThreshold: 0.7, mergeStrategy: 'append', scope: 'conversation' };
  const defaults = {
    contextLimit: 10,
    readOnly: false,
    persistence: { mode: 'step', debounceMs: 200, flushOnToolResult: true },
    semanticRecall: { enabled: false, ...recall },
    titles: undefined,
    limits: defaultMemoryLimits,
  };
  expect(createMemory().settings).toStrictEqual(defaults);
  expect(createMemory({ titles: false, semanticRecall: false }).settings).toStrictEqual(defaults);
  expect(createMemory(searching()).settings.semanticRecall).toEqual({ enabled: true, ...recall });
  expect(createMemory({ ...searching(), semanticRecall: false }).config['semanticRecall']).toBeNull();
  expect(createMemory({ ...searching(), semanticRecall: {} }).settings.semanticRecall.enabled).toBe(true);
  expect(createMemory({ titles: true }).settings.titles).toEqual({
    model: undefined,
    instructions: expect.stringMatching(/^Name the topic of this conversation in at most six words/),
    maxLength: 60,
  });
  const model = scriptedModel('A title');
  const titles = { model, instructions: 'Name it.', maxLength: 1 };
  expect(createMemory({ titles }).settings.titles).toEqual(titles);
  const persistence = { mode: 'finish', debounceMs: 0, flushOnToolResult: false } as const;
  expect(createMemory({ readOnly: true, contextLimit: 0, persistence }).settings).toMatchObject({
    readOnly: true,
    contextLimit: 0,
    persistence,
  });
});

it.each<MergeStrategy>(['append', 'prepend', 'interleave'])(
  'accepts the strategy %s, and both ends of its numbers',
  (mergeStrategy) => {
    for (const scope of ['conversation', 'user'] as const)
      for (const semanticThreshold of [0, 1]) {
        const semanticRecall = { mergeStrategy, scope, semanticThreshold, semanticLimit: 0 };
        expect(createMemory({ semanticRecall }).settings.semanticRecall).toEqual({ enabled: false, ...semanticRecall });
      }
  },
);

it.each<[MemoryOptions, string]>([
  [{ contextLimit: -1 }, 'contextLimit of a memory must be an integer from 0 on'],
  [{ contextLimit: 1.5 }, 'contextLimit of a memory must be an integer from 0 on'],
  [{ persistence: { debounceMs: -1 } }, 'persistence.debounceMs of a memory must be an integer from 0 on'],
  [{ persistence: { mode: '' as never } }, 'persistence.mode of a memory must be one of step, finish'],
  [{ titles: { maxLength: 0 } }, 'titles.maxLength of a memory must be an integer from 1 on'],
  [{ titles: { maxLength: 1.5 } }, 'titles.maxLength of a memory must be an integer from 1 on'],
  [{ semanticRecall: true }, 'semanticRecall of a memory needs `embedding` and `vectors`'],
  [{ semanticRecall: { semanticLimit: -1 } }, 'semanticRecall.semanticLimit of a memory must be an integer from 0 on'],
  [
    { semanticRecall: { semanticThreshold: -0.1 } },
    'semanticRecall.semanticThreshold of a memory must be a number from 0 to 1',
  ],
  [
    { semanticRecall: { semanticThreshold: 1.1 } },
    'semanticRecall.semanticThreshold of a memory must be a number from 0 to 1',
  ],
  [
    { semanticRecall: { mergeStrategy: '' as never } },
    'semanticRecall.mergeStrategy of a memory must be one of append, prepend, interleave',
  ],
  [{ semanticRecall: { scope: '' as never } }, 'semanticRecall.scope of a memory must be one of conversation, user'],
  [{ limits: { titleBytes: 0.5 } }, 'limits.titleBytes of a memory must be an integer from 0 on'],
  [{ context: 1 } as never, 'createMemory has no option "context".'],
])('refuses %j, and says why', (options, message) => {
  expect(() => createMemory(options)).toThrow(ConfigurationError);
  expect(() => createMemory(options)).toThrow(message);
});

it('says which conversation or id it does not accept', async () => {
  const memory = createMemory();
  await memory.create(conversation);
  await expect(memory.create(conversation)).rejects.toMatchObject({ message: expect.stringContaining(': c1') });
  await expect(memory.get(ada, 'nope')).rejects.toMatchObject({ message: expect.stringContaining('nope') });
});

it('limits the metadata and the title of a clone', async () => {
  const memory = createMemory({ limits: { titleBytes: 10, metadataBytes: 20 } });
  await memory.create({ ...conversation, title: 'Tea' });
  const clone = { id: 'c1', newId: 'c2', includeMessages: true };
  const tooLarge = { code: 'VALUE_TOO_LARGE' };
  await expect(memory.clone(ada, { ...clone, title: 'x'.repeat(30) })).rejects.toMatchObject(tooLarge);
  await expect(memory.create({ ...conversation, id: 'c3', title: 'x'.repeat(30) })).rejects.toMatchObject(tooLarge);
  await expect(memory.update(ada, 'c1', { metadata: { a: 'x'.repeat(30) } })).rejects.toMatchObject(tooLarge);
  expect(await memory.update(ada, 'c1', { metadata: {} })).toMatchObject({ title: 'Tea' });
});

describe('the summaries of a conversation', () => {
  async function summarized() {
    const memory = createMemory();
    await memory.create(conversation);
    await memory.save(ada, 'c1', [textMessage('m1', 'user', 'tea')]);
    const { messages } = await memory.messages(ada, 'c1', { limit: 9 });
    await memory.save(ada, 'c1', [summaryMessage('s1', 'It was about tea.', messages)]);
    await memory.save(ada, 'c1', [textMessage('m2', 'user', 'maths')]);
    const ids = async (): Promise<readonly string[]> =>
      (await memory.messages(ada, 'c1', { limit: 9 })).messages.map(({ id }) => id).toSorted();
    return { ids, memory };
  }

  it('stay when other messages, or the same ones, are written', async () => {
    const { ids, memory } = await summarized();
    await memory.save(ada, 'c1', [textMessage('m1', 'user', 'tea'), textMessage('m2', 'user', 'music')]);
    expect(await ids()).toEqual(['m1', 'm2', 's1']);
  });

  it('are deleted with a message that they repeat, and do not count as deleted messages', async () => {
    const { ids, memory } = await summarized();
    expect(await memory.deleteMessages(ada, 'c1', ['m2', 'nope'])).toBe(1);
    expect(await ids()).toEqual(['m1', 's1']);
    expect(await memory.deleteMessages(ada, 'c1', ['m1'])).toBe(1);
    expect(await ids()).toEqual([]);
  });

  it('are deleted when a message that they repeat is changed', async () => {
    const { ids, memory } = await summarized();
    await memory.save(ada, 'c1', [textMessage('m1', 'user', 'coffee')]);
    expect(await ids()).toEqual(['m1', 'm2']);
  });
});

describe('a memory that can search', () => {
  const turn = { isFirst: false, messages: [], dropped: [], models: [], logger: silentLogger };
  const query = { query: 'tea', limit: 10, threshold: 0.5 };
  const idsIn = (found: readonly { readonly messageId: string }[]): readonly string[] =>
    found.map(({ messageId }) => messageId).toSorted();

  it('finds the messages of a run, and no longer those that it replaced', async () => {
    const { memory, storage } = await searchableMemory();
    expect(memory.canSearch).toBe(true);
    await memory.save(ada, 'c1', [textMessage('old', 'user', 'tea')]);
    await memory.flush();
    await storage.conversations.deleteMessages(ada, 'c1', ['old']);
    const written = [textMessage('m1', 'user', 'tea')];
    await storage.conversations.save(ada, { conversationId: 'c1', messages: written });

    memory.afterWrite({ ...turn, conversationId: 'c1', userId: 'ada', messages: written, dropped: ['old'] });
    await memory.flush();

    expect(idsIn(await memory.search(ada, query))).toEqual(['m1']);
  });

  it('finds the messages of a clone, and no deleted ones', async () => {
    const { memory, storage } = await searchableMemory();
    await memory.save(ada, 'c1', [textMessage('m1', 'user', 'tea'), textMessage('m2', 'user', 'tea')]);
    await memory.clone(ada, { id: 'c1', newId: 'copy', includeMessages: true });
    await memory.clone(ada, { id: 'c1', newId: 'empty', includeMessages: false });
    await memory.flush();
    const inCopy = async () => (await memory.search(ada, { ...query, conversationId: 'copy' })).length;

    expect(await inCopy()).toBe(2);
    expect(await memory.search(ada, { ...query, conversationId: 'empty' })).toEqual([]);
    await memory.delete(ada, 'copy');
    expect(await inCopy()).toBe(0);
    await memory.deleteMessages(ada, 'c1', ['m1']);
    expect(idsIn(await memory.search('anyone', query))).toEqual(['m2']);
    await storage.users.delete('ada');
    await memory.deleteUser('ada');
    expect(await memory.search('anyone', query)).toEqual([]);
  });

  it('has indexed everything when it is closed', async () => {
    const { memory, found } = await searchableMemory();
    await memory.save(ada, 'c1', [textMessage('m1', 'user', 'tea')]);
    await memory.close();
    expect(await found('tea')).toEqual(['m1']);
  });

  it('needs a query of the owner', async () => {
    const { memory } = await searchableMemory();
    await memory.save(ada, 'c1', [textMessage('m1', 'user', 'tea')]);
    await memory.save('anyone', 'c3', [textMessage('m2', 'user', 'tea')]);
    await memory.flush();
    expect(idsIn(await memory.search('anyone', query))).toEqual(['m1', 'm2']);
    expect(idsIn(await memory.search('anyone', { ...query, userId: 'bob' }))).toEqual(['m2']);
    expect(idsIn(await memory.search(ada, { ...query, userId: 'ada' }))).toEqual(['m1']);
  });
});

it('shows other processes on its storage that a conversation is being answered', async () => {
  const storage = createInMemoryStorage();
  const run = { agentId: 'a', userId: 'ada', policy: 'queue', signal: undefined, leaseMs: 1_000, waitMs: 10 } as const;
  const answer = (given: MemoryStorage, work: () => Promise<unknown>) =>
    createMemory({ storage: given }).lock.run({ ...run, id: 't1', conversationId: 'c1' }, async (lock) => {
      const result = await work();
      await lock?.release();
      return result;
    });
  const place = { agentId: 'a', userId: 'ada', conversationId: 'c1 lock' };

  expect(await answer(storage, () => storage.streams?.findLive('anyone', place) ?? Promise.resolve())).toMatchObject({
    id: 't1',
  });
  const { conversations, users, workingMemory } = storage;
  expect(await answer({ conversations, users, workingMemory }, async () => 'done')).toBe('done');
});

it('says that search is not configured', async () => {
  await expect(createMemory().search('anyone', { query: 'x', limit: 1, threshold: 0 })).rejects.toMatchObject({
    code: 'SEARCH_NOT_CONFIGURED',
    kind: 'invalid-input',
  });
  expect(createMemory().canSearch).toBe(false);
});

it.each<MemoryOptions>([{ embedding: keywordEmbedding([]) }, { vectors: createInMemoryVectorStore() }])(
  'needs both an embedding model and vectors',
  (options) => {
    expect(() => createMemory(options)).toThrow('A memory needs both `embedding` and `vectors` to search');
  },
);
