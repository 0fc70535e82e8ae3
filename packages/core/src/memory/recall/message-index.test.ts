import type { VectorStore } from '@halyard/contracts';
import { createInMemoryVectorStore } from '@halyard/memory-in-memory';
import { afterEach, expect, it, vi } from 'vitest';
import { type KeywordEmbedding, keywordEmbedding } from '../../testing/keyword-embedding.ts';
import { listeningLogger, says, type Searching, searching, words } from '../testing/searching.ts';

const ada = { user: 'ada' };

afterEach(() => {
  vi.useRealTimers();
});

it('embeds a message again only when its text has changed', async () => {
  const embedding = keywordEmbedding(words);
  const { memory, found } = await searching({ embedding });
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

it('finds no deleted messages', async () => {
  const { memory, storage, found } = await searching();
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
  const { memory, found } = await searching();
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

it.each<[string, (setting: Searching) => Promise<unknown>]>([
  ['a message', ({ memory }) => memory.deleteMessages(ada, 'c1', ['m1'])],
  ['a conversation', ({ memory }) => memory.delete(ada, 'c1')],
  ['all of a user', ({ memory, storage }) => storage.users.delete('ada').then(() => memory.deleteUser('ada'))],
])('leaves no vector of %s that is deleted while it is embedded', async (_, deletion) => {
  const { embedding, asked, go } = heldEmbedding();
  const setting = await searching({ embedding });
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
  const { memory, storage, found } = await searching({ embedding });
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
it('retries after a failure, and logs it', async () => {
  const logger = listeningLogger();
  const embedding = keywordEmbedding(words, { errors: [new Error('away')] });
  const { memory, found } = await searching({ embedding, logger });
  await memory.save(ada, 'c1', [says('m1', 'tea')]);

  await memory.flush();
  expect(await found('tea')).toEqual([]);
  expect(logger.heard).toEqual(['messages could not be indexed; this is retried']);
  await memory.flush();

  expect(await found('tea')).toEqual(['m1']);
});

it('retries after increasing delays', async () => {
  const away = new Error('away');
  const embedding = keywordEmbedding(words, { errors: [away, away] });
  const { memory, found } = await searching({ embedding });
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

it('finds all other messages when the model refuses one text', async () => {
  const logger = listeningLogger();
  const model = keywordEmbedding(words);
  const doEmbed: KeywordEmbedding['doEmbed'] = async (call) => {
    if (call.values.some((text) => text.includes('poison'))) {
      throw Object.assign(new Error('refused'), { isRetryable: false });
    }
    return model.doEmbed(call);
  };
  const { memory, found } = await searching({ embedding: { ...model, doEmbed }, logger });
  const messages = Array.from({ length: 30 }, (_, index) => says(`m${index}`, index === 7 ? 'poison tea' : 'tea'));
  await memory.save(ada, 'c1', messages);

  for (let attempt = 0; attempt < 6; attempt += 1) await memory.flush();

  expect(await found('tea')).toHaveLength(29);
  expect(logger.heard.at(-1)).toBe('messages are not indexed');
  await memory.close();
  expect(logger.heard.at(-1)).toBe('messages are not indexed');
});

it('calls a model that does not respond three times, not once for each of many texts', async () => {
  const model = keywordEmbedding(words);
  let calls = 0;
  const doEmbed = (): Promise<never> => {
    calls += 1;
    return Promise.reject(new Error('away'));
  };
  const { memory } = await searching({ embedding: { ...model, supportsParallelCalls: false, doEmbed } });
  await memory.save(
    ada,
    'c1',
    Array.from({ length: 5000 }, (_, index) => says(`m${index}`, `tea ${index}`)),
  );

  await memory.flush();

  expect(calls).toBe(3);
});

it('retries to delete vectors', async () => {
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
  const { memory } = await searching({ vectors: failing, logger });
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

it('logs how many messages are not indexed when it is closed', async () => {
  const logger = listeningLogger();
  const away = new Error('away');
  const { memory } = await searching({ embedding: keywordEmbedding(words, { errors: [away, away] }), logger });
  await memory.save(ada, 'c1', [says('m1', 'tea')]);
  await memory.close();
  await memory.save(ada, 'c1', [says('m2', 'tea')]);

  expect(logger.heard).toEqual([
    'messages could not be indexed; this is retried',
    'messages were not indexed before the memory was closed',
    'messages are not indexed: the queue is full, or the memory is closed',
  ]);
});
