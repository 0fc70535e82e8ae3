import type { Logger } from '@halyard/contracts';
import { Agent, createMemory } from '@halyard/core';
import { keywordEmbedding, scriptedModel, silentLogger } from '@halyard/core/testing';
import { createInMemoryStorage, createInMemoryVectorStore } from '@halyard/memory-in-memory';
import { describe, expect, it } from 'vitest';
import { ask } from '../../testing/memory.ts';
import { json, serve } from '../../testing/serve.ts';
import { flushMemories } from './flush-memories.ts';

describe('a server that closes', () => {
  it('waits for background writes of its memories, those of agents included', async () => {
    const { promise: mayEmbed, resolve: letEmbed } = Promise.withResolvers<void>();
    const words = keywordEmbedding(['tea']);
    const embedding = {
      ...words,
      doEmbed: async (...given: Parameters<typeof words.doEmbed>) => {
        await mayEmbed;
        return words.doEmbed(...given);
      },
    };
    const memory = createMemory({ embedding, vectors: createInMemoryVectorStore() });
    const server = await serve([], { agents: [new Agent({ id: 'a', model: scriptedModel('ok'), memory })] });
    await ask(server.origin, '/conversations', { body: { userId: 'ada', conversationId: 'c1' } });
    const messages = [{ role: 'user', content: 'tea' }];
    await ask(server.origin, '/save-messages', { body: { userId: 'ada', conversationId: 'c1', messages } });

    const steps: string[] = [];
    const closed = server.close().then(() => steps.push('closed'));
    steps.push('embedded');
    letEmbed();
    await closed;
    expect(steps).toEqual(['embedded', 'closed']);
    expect(await memory.search('anyone', { query: 'tea', limit: 1, threshold: 0.9 })).toMatchObject([{ text: 'tea' }]);
  });

  it('stores the text so far of an answer that it aborts', async () => {
    const memory = createMemory();
    const model = scriptedModel({ text: ['so far'], hangs: true });
    const agents = [new Agent({ id: 'a', model, memory })];
    const server = await serve([], { agents, limits: { shutdownGraceMs: 20 } });
    const options = { userId: 'ada', conversationId: 'c1' };
    const response = await fetch(`${server.origin}/agents/a/stream`, json({ input: 'hi', options }));
    const [text] = await Promise.all([response.text(), server.close()]);
    expect(text).toContain('so far');
    const { messages } = await memory.messages('anyone', 'c1', { limit: 10 });
    expect(messages.map(({ parts, role }) => [role, JSON.stringify(parts)])).toEqual([
      ['user', expect.stringContaining('hi')],
      ['assistant', expect.stringContaining('so far')],
    ]);
  });

  it('waits no longer than its limit, and not for a memory that fails', async () => {
    const logged: string[] = [];
    const log = (_: object, message: string): number => logged.push(message);
    const logger: Logger = { ...silentLogger, warn: log, error: log };
    await flushMemories([{ storage: {}, flush: () => new Promise(() => {}) }], 1, logger);
    await flushMemories([{ storage: {}, flush: () => Promise.reject(new Error('no')) }], 60_000, logger);
    expect(logged).toEqual(['the memories did not finish in time', 'a memory could not finish']);
  });

  it.each([
    ['rejects', () => Promise.reject(new Error('away')), 60_000],
    ['does not respond', () => new Promise<void>(() => {}), 1],
  ])('does not wait for a memory whose storage %s', async (_, check, limitMs) => {
    let isFlushed = false;
    const flush = async (): Promise<void> => {
      isFlushed = true;
    };
    await flushMemories([{ storage: { check }, flush }], limitMs, silentLogger);
    expect(isFlushed).toBe(false);
    await flushMemories([{ storage: { check: async () => {} }, flush }], 60_000, silentLogger);
    expect(isFlushed).toBe(true);
  });
});

describe('readiness', () => {
  const away = () => Promise.reject(new Error('away'));
  const vectors = createInMemoryVectorStore();
  const storage = createInMemoryStorage();
  const awayStorage = { ...storage, check: away };
  const embedding = keywordEmbedding([]);

  it.each([
    ['all is there', createMemory({ embedding, vectors }), 200, undefined],
    [
      'vectors are away',
      createMemory({ embedding, vectors: Object.assign(createInMemoryVectorStore(), { check: away }) }),
      503,
      [{ part: 'vectors', problem: 'unreachable' }],
    ],
    [
      'the storage of a memory is away',
      createMemory({ storage: awayStorage }),
      503,
      [{ part: 'memory', problem: 'unreachable' }],
    ],
    [
      'a memory has only parts of a storage',
      createMemory({
        storage: {
          conversations: storage.conversations,
          users: storage.users,
          workingMemory: storage.workingMemory,
        },
      }),
      200,
      undefined,
    ],
  ])('asks the memories of agents, and names what is away: %s', async (_, memory, status, unavailable) => {
    const server = await serve([], { agents: [new Agent({ id: 'a', model: scriptedModel('ok'), memory })] });
    const ready = await fetch(`${server.origin}/readyz`);
    const answer = (await ready.json()) as { readonly unavailable?: unknown };
    expect([ready.status, answer.unavailable]).toEqual([status, unavailable]);
    await server.close();
  });
});
