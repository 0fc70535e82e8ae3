import type { Logger, Message, Storage, VectorStore } from '@halyard/contracts';
import { createInMemoryStorage, createInMemoryVectorStore } from '@halyard/memory-in-memory';
import { afterEach, expect, it, vi } from 'vitest';
import { fixedClock } from '../testing/fixed-clock.ts';
import { type KeywordEmbedding, keywordEmbedding } from '../testing/keyword-embedding.ts';
import { sequentialIds } from '../testing/sequential-ids.ts';
import { silentLogger } from '../testing/silent-logger.ts';
import type { MemoryOptions } from './memory-options.ts';
import { createMemory, type Memory } from './memory.ts';

afterEach(() => {
  vi.useRealTimers();
});

const words = ['tea', 'maths', 'music'];
const ada = { user: 'ada' };

interface Setting {
  readonly memory: Memory;
  readonly storage: Storage;
  readonly vectors: VectorStore;
  /** Messages found for each of the words, whoever wrote them. */
  readonly found: (word: string) => Promise<readonly string[]>;
}

async function setUp(options: MemoryOptions = {}): Promise<Setting> {
  const storage = createInMemoryStorage({ clock: fixedClock(), ids: sequentialIds('copy') });
  const vectors = createInMemoryVectorStore();
  const memory = createMemory({
    storage,
    vectors,
    embedding: keywordEmbedding(words),
    logger: silentLogger,
    ...options,
  });
  for (const [id, userId] of [
    ['c1', 'ada'],
    ['c2', 'ada'],
    ['c3', 'bob'],
  ] as const) {
    await memory.create({ id, userId, resourceId: 'default', title: '', metadata: {} });
  }
  const reader = createMemory({ storage, vectors, embedding: keywordEmbedding(words) });
  const found = async (query: string): Promise<readonly string[]> => {
    const matches = await reader.search('anyone', { query, limit: 100, threshold: 0.5 });
    return matches.map(({ messageId }) => messageId).toSorted();
  };
  return { memory, storage, vectors, found };
}

function says(id: string, text: string, role: Message['role'] = 'user'): Message {
  return { id, role, parts: [{ type: 'text', text }] };
}

/** Remembers what it was told. */
function listeningLogger(): Logger & { readonly heard: string[] } {
  const heard: string[] = [];
  const hear = (_fields: object, message: string): void => void heard.push(message);
  return { heard, debug: hear, info: hear, warn: hear, error: hear };
}

it('finds texts by what they mean, best first, and says whose they are', async () => {
  const { memory } = await setUp();
  await memory.save(ada, 'c1', [says('m1', 'I like tea'), says('m2', 'tea and maths', 'assistant')]);
  await memory.save('anyone', 'c3', [says('m1', 'tea for Bob')]);
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

it('finds only what is the owner’s, in the conversation and above the score that was asked for', async () => {
  const { memory } = await setUp();
  await memory.save(ada, 'c1', [says('m1', 'tea'), says('m2', 'tea and maths')]);
  await memory.save(ada, 'c2', [says('m3', 'tea')]);
  await memory.save('anyone', 'c3', [says('m4', 'tea')]);
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

it('cannot search without an embedding model and vectors, and wants both or none', async () => {
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

it('says that the embedding model failed, and not what it said', async () => {
  const { memory } = await setUp({ embedding: keywordEmbedding(words, { errors: [new Error('secret')] }) });

  await expect(memory.search('anyone', { query: 'x', limit: 1, threshold: 0 })).rejects.toMatchObject({
    code: 'EMBEDDING_FAILED',
    message: 'The embedding model failed',
  });
});

it('embeds in batches, beside the request, and nothing without a text', async () => {
  const embedding = keywordEmbedding(words);
  const { memory, found } = await setUp({ embedding });
  const pick: Message = {
    id: 'm0',
    role: 'assistant',
    parts: [{ type: 'step-start' }, { type: 'tool-pick', toolCallId: 'x', state: 'input-available', input: {} }],
  };

  await memory.save(ada, 'c1', [pick, says('m1', 'tea'), says('m2', '  ')]);
  await memory.save(ada, 'c2', [says('m3', 'tea')]);
  expect(embedding.calls).toEqual([]);
  await memory.flush();

  expect(embedding.calls).toEqual([['tea', 'tea']]);
  expect(await found('tea')).toEqual(['m1', 'm3']);
});

it('embeds the text parts of a message, up to 6000 characters', async () => {
  const embedding = keywordEmbedding(words);
  const { memory } = await setUp({ embedding });
  const parts: Message['parts'] = [
    { type: 'reasoning', text: 'hm' },
    { type: 'text', text: 'One' },
    { type: 'text', text: 'two' },
  ];
  await memory.save(ada, 'c1', [{ id: 'm1', role: 'assistant', parts }, says('m2', `${'x'.repeat(5999)}😀tail`)]);
  await memory.flush();

  expect(embedding.calls).toEqual([['One\ntwo', 'x'.repeat(5999)]]);
});

it('embeds a message again only when its text has changed', async () => {
  const embedding = keywordEmbedding(words);
  const { memory, found } = await setUp({ embedding });
  await memory.save(ada, 'c1', [says('m1', 'tea'), says('m2', 'maths')]);
  await memory.flush();

  await memory.save(ada, 'c1', [says('m1', 'tea'), says('m2', 'music')]);
  await memory.flush();
  await memory.save(ada, 'c1', [says('m2', '')]);
  await memory.flush();

  expect(embedding.calls).toEqual([['tea', 'maths'], ['music']]);
  expect(await found('tea')).toEqual(['m1']);
  expect(await found('maths')).toEqual([]);
  expect(await found('music')).toEqual([]);
});

it('finds nothing of what was deleted', async () => {
  const { memory, storage, found } = await setUp();
  await memory.save(ada, 'c1', [says('m1', 'tea'), says('m2', 'tea')]);
  await memory.save(ada, 'c2', [says('m3', 'tea')]);
  await memory.save('anyone', 'c3', [says('m4', 'tea')]);
  await memory.flush();

  await expect(memory.deleteMessages({ user: 'bob' }, 'c1', ['m1'])).rejects.toMatchObject({
    code: 'CONVERSATION_NOT_FOUND',
  });
  expect(await memory.deleteMessages(ada, 'c1', ['m1', 'nope'])).toBe(1);
  expect(await found('tea')).toEqual(['m2', 'm3', 'm4']);
  await expect(memory.delete({ user: 'bob' }, 'c1')).rejects.toMatchObject({ code: 'CONVERSATION_NOT_FOUND' });
  await memory.delete(ada, 'c1');
  expect(await found('tea')).toEqual(['m3', 'm4']);
  await storage.users.delete('ada');
  await memory.deleteUser('ada');
  expect(await found('tea')).toEqual(['m4']);
});

it('finds a message that was deleted and written again', async () => {
  const { memory, found } = await setUp();
  await memory.save(ada, 'c1', [says('m1', 'tea')]);
  await memory.flush();
  await memory.deleteMessages(ada, 'c1', ['m1']);
  await memory.save(ada, 'c1', [says('m1', 'tea')]);
  await memory.flush();

  expect(await found('tea')).toEqual(['m1']);
});

/** Embeds only when it is told to. */
function heldEmbedding(): {
  readonly embedding: KeywordEmbedding;
  readonly asked: Promise<void>;
  readonly go: () => void;
} {
  const model = keywordEmbedding(words);
  const asked = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  const doEmbed: KeywordEmbedding['doEmbed'] = async (call) => {
    asked.resolve();
    await go.promise;
    return model.doEmbed(call);
  };
  return { embedding: { ...model, doEmbed }, asked: asked.promise, go: go.resolve };
}

it.each<[string, (setting: Setting) => Promise<unknown>]>([
  ['a message', ({ memory }) => memory.deleteMessages(ada, 'c1', ['m1'])],
  ['a conversation', ({ memory }) => memory.delete(ada, 'c1')],
  ['all of a user', ({ memory, storage }) => storage.users.delete('ada').then(() => memory.deleteUser('ada'))],
])('leaves no vector of %s that is deleted while it is embedded', async (_, deletion) => {
  const { embedding, asked, go } = heldEmbedding();
  const setting = await setUp({ embedding });
  await setting.memory.save(ada, 'c1', [says('m1', 'tea')]);
  const flushed = setting.memory.flush();
  await asked;

  await deletion(setting);
  go();
  await flushed;

  expect(await setting.found('tea')).toEqual([]);
});

it('finds the new text of a message that was changed while it was embedded', async () => {
  const { embedding, asked, go } = heldEmbedding();
  const { memory, storage, found } = await setUp({ embedding });
  await memory.save(ada, 'c1', [says('m1', 'tea')]);
  const flushed = memory.flush();
  await asked;

  // By another process: this one is not told.
  await storage.conversations.save(ada, { conversationId: 'c1', messages: [says('m1', 'maths')] });
  go();
  await flushed;
  await memory.flush();

  expect(await found('tea')).toEqual([]);
  expect(await found('maths')).toEqual(['m1']);
});

it('finds what a copy of a conversation holds', async () => {
  const { memory, found } = await setUp();
  const many = Array.from({ length: 1200 }, (_, index) => says(`m${index}`, `maths ${index}`));
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

it('tries again what failed, and tells the log', async () => {
  const logger = listeningLogger();
  const embedding = keywordEmbedding(words, { errors: [new Error('away')] });
  const { memory, found } = await setUp({ embedding, logger });
  await memory.save(ada, 'c1', [says('m1', 'tea')]);

  await memory.flush();
  expect(await found('tea')).toEqual([]);
  expect(logger.heard).toEqual(['messages could not be indexed; they are tried again']);
  await memory.flush();

  expect(await found('tea')).toEqual(['m1']);
});

it('tries again by itself, and waits longer each time', async () => {
  const away = new Error('away');
  const embedding = keywordEmbedding(words, { errors: [away, away] });
  const { memory, found } = await setUp({ embedding });
  vi.useFakeTimers({ toFake: ['setImmediate', 'setTimeout', 'clearTimeout'] });

  await memory.save(ada, 'c1', [says('m1', 'tea')]);
  await vi.advanceTimersByTimeAsync(999);
  expect(embedding.calls).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(embedding.calls).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(1999);
  expect(embedding.calls).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(1);

  expect(await found('tea')).toEqual(['m1']);
  expect(vi.getTimerCount()).toBe(0);
});

it('finds all the others when the model refuses one text', async () => {
  const logger = listeningLogger();
  const model = keywordEmbedding(words);
  const doEmbed: KeywordEmbedding['doEmbed'] = async (call) => {
    if (call.values.some((text) => text.includes('poison'))) {
      throw Object.assign(new Error('refused'), { isRetryable: false });
    }
    return model.doEmbed(call);
  };
  const { memory, found } = await setUp({ embedding: { ...model, doEmbed }, logger });
  const messages = Array.from({ length: 30 }, (_, index) => says(`m${index}`, index === 7 ? 'poison tea' : 'tea'));
  await memory.save(ada, 'c1', messages);

  for (let attempt = 0; attempt < 6; attempt += 1) await memory.flush();

  expect(await found('tea')).toHaveLength(29);
  expect(logger.heard.at(-1)).toBe('messages are not indexed');
  await memory.close();
  expect(logger.heard.at(-1)).toBe('messages are not indexed');
});

it('asks a model that does not answer three times, not once for each of many texts', async () => {
  const model = keywordEmbedding(words);
  let calls = 0;
  const doEmbed = (): Promise<never> => {
    calls += 1;
    return Promise.reject(new Error('away'));
  };
  const { memory } = await setUp({ embedding: { ...model, supportsParallelCalls: false, doEmbed } });
  await memory.save(
    ada,
    'c1',
    Array.from({ length: 5000 }, (_, index) => says(`m${index}`, `tea ${index}`)),
  );

  await memory.flush();

  expect(calls).toBe(3);
});

it('deletes vectors later where it cannot at once', async () => {
  const logger = listeningLogger();
  const vectors = createInMemoryVectorStore();
  let failures = 1;
  const failing: VectorStore = {
    upsert: (all) => vectors.upsert(all),
    search: (owner, query) => vectors.search(owner, query),
    deleteMessages: async (id, messageIds) => {
      failures -= 1;
      if (failures >= 0) throw new Error('away');
      return vectors.deleteMessages(id, messageIds);
    },
    deleteConversation: async (id) => {
      failures -= 1;
      if (failures >= 0) throw new Error('away');
      return vectors.deleteConversation(id);
    },
    deleteUser: (id) => vectors.deleteUser(id),
    check: () => vectors.check(),
    close: () => vectors.close(),
  };
  const { memory } = await setUp({ vectors: failing, logger });
  const count = async (): Promise<number> =>
    (await memory.search('anyone', { query: 'tea', limit: 10, threshold: 0.5 })).length;
  await memory.save(ada, 'c1', [says('m1', 'tea'), says('m2', 'tea')]);
  await memory.flush();

  expect(await memory.deleteMessages(ada, 'c1', ['m1'])).toBe(1);
  expect(await count()).toBe(2);
  await memory.flush();
  expect(await count()).toBe(1);

  failures = 1;
  await memory.delete(ada, 'c1');
  expect(await count()).toBe(1);
  await memory.flush();
  expect(await count()).toBe(0);
});

it('says what it leaves undone when it is closed', async () => {
  const logger = listeningLogger();
  const away = new Error('away');
  const { memory } = await setUp({ embedding: keywordEmbedding(words, { errors: [away, away] }), logger });
  await memory.save(ada, 'c1', [says('m1', 'tea')]);
  await memory.close();
  await memory.save(ada, 'c1', [says('m2', 'tea')]);

  expect(logger.heard).toEqual([
    'messages could not be indexed; they are tried again',
    'messages were not indexed before the memory was closed',
    'messages are not indexed: too many wait, or the memory is closed',
  ]);
});
