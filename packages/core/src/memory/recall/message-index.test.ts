import { ConfigurationError, type Storage, type VectorStore } from '@halyard/contracts';
import { createInMemoryVectorStore } from '@halyard/memory-in-memory';
import { afterEach, expect, it, vi } from 'vitest';
import { summaryMessage } from '../../conversation/summary.ts';
import { providerError } from '../../model/testing/provider-error.ts';
import { silentLogger } from '../../testing/index.ts';
import { type KeywordEmbedding, keywordEmbedding } from '../../testing/keyword-embedding.ts';
import { recordingLogger, type SearchableMemory, searchableMemory, words } from '../testing/searchable-memory.ts';
import { textMessage } from '../testing/text-message.ts';

const [ada, bob] = [{ user: 'ada' }, { user: 'bob' }];

afterEach(() => {
  vi.useRealTimers();
});

it('embeds a message again only when its text has changed', async () => {
  const embedding = keywordEmbedding(words);
  const { memory, found } = await searchableMemory({ embedding });
  await memory.save(ada, 'c1', [textMessage('m1', 'user', 'tea'), textMessage('m2', 'user', 'maths')]);
  await memory.flush();

  await memory.save(ada, 'c1', [textMessage('m1', 'user', 'tea'), textMessage('m2', 'user', 'music')]);
  await memory.flush();
  await memory.save(ada, 'c1', [textMessage('m2', 'user', '')]);
  await memory.flush();

  expect(embedding.calls).toEqual([['tea', 'maths'], ['music']]);
  expect(await found('tea')).toEqual(['m1']);
  expect(await found('maths')).toEqual([]);
  expect(await found('music')).toEqual([]);
});

it('finds no deleted messages', async () => {
  const { memory, storage, found } = await searchableMemory();
  await memory.save(ada, 'c1', [textMessage('m1', 'user', 'tea'), textMessage('m2', 'user', 'tea')]);
  await memory.save(ada, 'c2', [textMessage('m3', 'user', 'tea')]);
  await memory.save('anyone', 'c3', [textMessage('m4', 'user', 'tea')]);
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
  const { memory, found } = await searchableMemory();
  await memory.save(ada, 'c1', [textMessage('m1', 'user', 'tea')]);
  await memory.flush();
  await memory.deleteMessages(ada, 'c1', ['m1']);
  await memory.save(ada, 'c1', [textMessage('m1', 'user', 'tea')]);
  await memory.flush();

  expect(await found('tea')).toEqual(['m1']);
});

/** An embedding model that waits until the test calls `go`. */
function blockedEmbedding(): {
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

it.each<[string, (setting: SearchableMemory) => Promise<unknown>]>([
  ['a message', ({ memory }) => memory.deleteMessages(ada, 'c1', ['m1'])],
  ['a conversation', ({ memory }) => memory.delete(ada, 'c1')],
  ['all of a user', ({ memory, storage }) => storage.users.delete('ada').then(() => memory.deleteUser('ada'))],
])('leaves no vector of %s that is deleted while it is embedded', async (_, deletion) => {
  const { embedding, asked, go } = blockedEmbedding();
  const setting = await searchableMemory({ embedding });
  await setting.memory.save(ada, 'c1', [textMessage('m1', 'user', 'tea')]);
  const flushed = setting.memory.flush();
  await asked;

  await deletion(setting);
  go();
  await flushed;

  expect(await setting.found('tea')).toEqual([]);
});

/** Deletes the conversation of Ada, and creates one of Bob with the same ids and text. */
async function replaceByBob({ conversations }: Storage): Promise<void> {
  await conversations.delete(ada, 'c1');
  await conversations.create({ id: 'c1', userId: 'bob', resourceId: 'default', title: '', metadata: {} });
  await conversations.save(bob, { conversationId: 'c1', messages: [textMessage('m1', 'user', 'tea')] });
}

it('indexes no message of another user, who creates the conversation again while it is read', async () => {
  const vectors = createInMemoryVectorStore();
  const upsert = vi.spyOn(vectors, 'upsert');
  const { memory, storage } = await searchableMemory({ vectors });
  const { conversations } = storage;
  const find = conversations.find.bind(conversations);
  await memory.save(ada, 'c1', [textMessage('m1', 'user', 'tea')]);
  vi.spyOn(conversations, 'find').mockImplementationOnce(async (...call) => {
    const found = await find(...call);
    await replaceByBob(storage);
    return found;
  });

  await memory.flush();

  expect(upsert).not.toHaveBeenCalled();
});

it('finds a message of another user, who creates the conversation again while it is embedded', async () => {
  const { embedding, asked, go } = blockedEmbedding();
  const { memory, storage } = await searchableMemory({ embedding });
  await memory.save(ada, 'c1', [textMessage('m1', 'user', 'tea')]);
  const flushed = memory.flush();
  await asked;

  await replaceByBob(storage);
  go();
  await flushed;
  await memory.flush();

  const search = { limit: 10, threshold: 0.5 };
  expect(await memory.search(ada, { query: 'tea', ...search })).toEqual([]);
  expect(await memory.search(bob, { query: 'tea', ...search })).toMatchObject([{ messageId: 'm1' }]);
});

it('finds the new text of a message that was changed while it was embedded', async () => {
  const { embedding, asked, go } = blockedEmbedding();
  const { memory, storage, found } = await searchableMemory({ embedding });
  await memory.save(ada, 'c1', [textMessage('m1', 'user', 'tea')]);
  const flushed = memory.flush();
  await asked;

  // Another process writes: this one receives no notification.
  await storage.conversations.save(ada, { conversationId: 'c1', messages: [textMessage('m1', 'user', 'maths')] });
  go();
  await flushed;
  await memory.flush();

  expect(await found('tea')).toEqual([]);
  expect(await found('maths')).toEqual(['m1']);
});
it('logs the provider report of a failed embedding, without the request', async () => {
  const logged: object[] = [];
  const logger = { ...silentLogger, warn: (fields: object) => void logged.push(fields) };
  const refused = providerError('Invalid key', 401, { url: 'https://app:secret@api.example' });
  const embedding = keywordEmbedding(words, { errors: [refused] });
  const { memory } = await searchableMemory({ embedding, logger });
  await memory.save(ada, 'c1', [textMessage('m1', 'user', 'tea')]);

  await memory.flush();

  const reason = 'the provider answered 401: Invalid key';
  expect(logged).toEqual([{ code: 'EMBEDDING_FAILED', reason, jobs: 1 }]);
});

it('retries after a failure, and logs it', async () => {
  const logger = recordingLogger();
  const embedding = keywordEmbedding(words, { errors: [new Error('away')] });
  const { memory, found } = await searchableMemory({ embedding, logger });
  await memory.save(ada, 'c1', [textMessage('m1', 'user', 'tea')]);

  await memory.flush();
  expect(await found('tea')).toEqual([]);
  expect(logger.messages).toEqual(['messages could not be indexed; this is retried']);
  await memory.flush();

  expect(await found('tea')).toEqual(['m1']);
});

it('retries after increasing delays', async () => {
  const away = new Error('away');
  const embedding = keywordEmbedding(words, { errors: [away, away] });
  const { memory, found } = await searchableMemory({ embedding });
  vi.useFakeTimers({ toFake: ['setImmediate', 'setTimeout', 'clearTimeout'] });

  await memory.save(ada, 'c1', [textMessage('m1', 'user', 'tea')]);
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

it('finds all other messages when the model refuses one text', async () => {
  const logger = recordingLogger();
  const model = keywordEmbedding(words);
  const doEmbed: KeywordEmbedding['doEmbed'] = async (call) => {
    if (call.values.some((text) => text.includes('poison'))) {
      throw Object.assign(new Error('refused'), { isRetryable: false });
    }
    return model.doEmbed(call);
  };
  const { memory, found } = await searchableMemory({ embedding: { ...model, doEmbed }, logger });
  const messages = Array.from({ length: 30 }, (_, index) =>
    textMessage(`m${index}`, 'user', index === 7 ? 'poison tea' : 'tea'),
  );
  await memory.save(ada, 'c1', messages);

  for (let attempt = 0; attempt < 6; attempt += 1) await memory.flush();

  expect(await found('tea')).toHaveLength(29);
  expect(logger.messages.at(-1)).toBe('messages are not indexed');
  await memory.close();
  expect(logger.messages.at(-1)).toBe('messages are not indexed');
});

it('calls a model that does not respond three times, not once for each of many texts', async () => {
  const model = keywordEmbedding(words);
  let calls = 0;
  const doEmbed = (): Promise<never> => {
    calls += 1;
    return Promise.reject(new Error('away'));
  };
  const { memory } = await searchableMemory({ embedding: { ...model, supportsParallelCalls: false, doEmbed } });
  await memory.save(
    ada,
    'c1',
    Array.from({ length: 5000 }, (_, index) => textMessage(`m${index}`, 'user', `tea ${index}`)),
  );

  await memory.flush();

  expect(calls).toBe(3);
});

it('retries to delete vectors', async () => {
  const logger = recordingLogger();
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
  const { memory } = await searchableMemory({ vectors: failing, logger });
  const count = async (): Promise<number> =>
    (await memory.search('anyone', { query: 'tea', limit: 10, threshold: 0.5 })).length;
  await memory.save(ada, 'c1', [textMessage('m1', 'user', 'tea'), textMessage('m2', 'user', 'tea')]);
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

const texts = (count: number) => Array.from({ length: count }, (_, n) => textMessage(`m${n}`, 'user', `tea ${n}`));

it.each<[string, (setting: SearchableMemory) => Promise<unknown>]>([
  ['written', ({ memory }) => memory.save(ada, 'c1', texts(3_000))],
  [
    'copied',
    async ({ memory, storage }) => {
      await storage.conversations.save(ada, { conversationId: 'c1', messages: texts(3_000) });
      await memory.clone(ada, { id: 'c1', newId: 'copy', includeMessages: true });
    },
  ],
])('embeds the message of a user after one batch of 3 000 that another user has %s', async (_, write) => {
  const { asked, embedding, go } = blockedEmbedding();
  const inTurn = { ...embedding, supportsParallelCalls: false };
  const setting = await searchableMemory({ embedding: inTurn });
  await write(setting);
  await asked;
  await setting.memory.save(bob, 'c3', [textMessage('b1', 'user', 'music')]);
  go();
  await setting.memory.flush();

  const embedded = embedding.calls.flat();
  expect(embedded).toHaveLength(3_001);
  // A batch has 500 messages.
  expect(Math.floor(embedded.indexOf('music') / 500)).toBe(1);
});

it('drops messages of the user who has the most waiting when 50 000 wait, and logs how many', async () => {
  const logger = recordingLogger();
  const { asked, embedding, go } = blockedEmbedding();
  const { memory } = await searchableMemory({ embedding, logger });
  await memory.save(ada, 'c1', texts(1));
  await asked;
  const turn = { isFirst: false, messages: [], models: [], logger };
  const dropped = Array.from({ length: 50_000 }, (_, n) => `gone${n}`);
  memory.afterWrite({ ...turn, conversationId: 'c1', userId: 'ada', dropped });
  expect(logger.messages).toEqual([]);
  await memory.save(bob, 'c3', [textMessage('b1', 'user', 'music')]);
  expect(logger.messages).toEqual(['messages are not indexed: the queue is full, or the memory is closed']);
  go();
  await memory.flush();

  expect(embedding.calls.flat()).toContain('music');
});

it('logs how many messages are not indexed when it is closed', async () => {
  const logger = recordingLogger();
  const away = new Error('away');
  const { memory } = await searchableMemory({ embedding: keywordEmbedding(words, { errors: [away, away] }), logger });
  await memory.save(ada, 'c1', [textMessage('m1', 'user', 'tea')]);
  await memory.close();
  await memory.save(ada, 'c1', [textMessage('m2', 'user', 'tea')]);

  expect(logger.messages).toEqual([
    'messages could not be indexed; this is retried',
    'messages were not indexed before the memory was closed',
    'messages are not indexed: the queue is full, or the memory is closed',
  ]);
});

it('retries messages whose vectors could not be written', async () => {
  const vectors = createInMemoryVectorStore();
  vi.spyOn(vectors, 'upsert').mockRejectedValueOnce(new Error('away'));
  const { memory, found } = await searchableMemory({ vectors });
  await memory.save(ada, 'c1', [textMessage('m1', 'user', 'tea')]);

  await memory.flush();
  expect(await found('tea')).toEqual([]);
  await memory.flush();

  expect(await found('tea')).toEqual(['m1']);
});

it.each<[string, 'model' | 'store', unknown, number]>([
  ['of the model that is permanent', 'model', Object.assign(new Error('refused'), { isRetryable: false }), 5],
  ['of the model that may end', 'model', new Error('busy'), 20],
  ['of the model that is no error', 'model', null, 20],
  ['of the configuration', 'store', new ConfigurationError('wrong dimensions'), 5],
  ['of the store', 'store', Object.assign(new Error('away'), { isRetryable: false }), 20],
])('gives a message up after repeated failures %s', async (_, which, error, attempts) => {
  const logger = recordingLogger();
  const model = keywordEmbedding(words);
  // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- a model may throw anything
  const fail = (): Promise<never> => Promise.reject(error);
  const vectors = createInMemoryVectorStore();
  if (which === 'store') vi.spyOn(vectors, 'upsert').mockImplementation(fail);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const embedding = which === 'model' ? { ...model, doEmbed: fail } : model;
  const { memory } = await searchableMemory({ embedding, vectors, logger });
  await memory.save(ada, 'c1', [textMessage('m1', 'user', 'tea')]);

  for (let pass = 0; pass < 25; pass += 1) await memory.flush();

  const given = logger.messages.filter((message) => message.startsWith('messages '));
  expect(given).toHaveLength(attempts);
  expect(given.at(-1)).toBe('messages are not indexed');
  expect(new Set(given.slice(0, -1))).toEqual(new Set(['messages could not be indexed; this is retried']));
});

it('embeds messages again that are written after the deletion of their conversation or user', async () => {
  const embedding = keywordEmbedding(words);
  const { memory, found, storage } = await searchableMemory({ embedding });
  const write = async (id: string): Promise<void> => {
    await storage.conversations.create({ id, userId: 'ada', resourceId: 'default', title: '', metadata: {} });
    await memory.save(ada, id, [textMessage(`of-${id}`, 'user', 'tea')]);
    await memory.flush();
  };
  await write('c1');
  await write('c10');
  await memory.delete(ada, 'c1');
  await write('c1');
  expect(await found('tea')).toEqual(['of-c1', 'of-c10']);
  expect(embedding.calls).toHaveLength(3);
  await memory.save(ada, 'c10', [textMessage('of-c10', 'user', 'tea')]);
  await memory.flush();
  expect(embedding.calls).toHaveLength(3);

  await memory.deleteUser('ada');
  expect(await found('tea')).toEqual([]);
  await memory.save(ada, 'c10', [textMessage('of-c10', 'user', 'tea')]);
  await memory.flush();
  expect(await found('tea')).toEqual(['of-c10']);
});

it('finds no summary, which repeats what messages say', async () => {
  const embedding = keywordEmbedding(words);
  const { memory, found } = await searchableMemory({ embedding });
  await memory.save(ada, 'c1', [textMessage('m1', 'user', 'tea')]);
  const { messages } = await memory.messages(ada, 'c1', { limit: 1 });
  await memory.save(ada, 'c1', [summaryMessage('s1', 'It was about tea.', messages)]);
  await memory.flush();

  expect(await found('tea')).toEqual(['m1']);
  expect(embedding.calls).toEqual([['tea']]);
});

it('waits five minutes at most between two passes', async () => {
  const model = keywordEmbedding(words);
  const times: number[] = [];
  const vectors = createInMemoryVectorStore();
  vi.spyOn(vectors, 'upsert').mockImplementation(() => {
    times.push(performance.now());
    return Promise.reject(new Error('away'));
  });
  vi.useFakeTimers({ toFake: ['setImmediate', 'setTimeout', 'clearTimeout', 'performance'] });
  const { memory } = await searchableMemory({ embedding: model, vectors });
  await memory.save(ada, 'c1', [textMessage('m1', 'user', 'tea')]);

  await vi.advanceTimersByTimeAsync(3_600_000);

  const seconds = times.slice(1).map((time, index) => Math.round((time - (times[index] ?? 0)) / 1000));
  expect(seconds.slice(0, 11)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
  await memory.close();
  const tried = times.length;
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(times).toHaveLength(tried);
});
