import { createOpenAI } from '@ai-sdk/openai';
import type { Logger } from '@halyard/contracts';
import { createMemory, type Memory } from '@halyard/core';
import { silentLogger } from '@halyard/core/testing';
import { createInMemoryVectorStore } from '@halyard/memory-in-memory';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type OpenaiWire, openOpenaiWire } from '../wire/index.ts';

const ada = { user: 'ada' };

let wire: OpenaiWire;
beforeEach(async () => {
  wire = await openOpenaiWire();
});
afterEach(() => wire.close());

async function memoryWith(logger: Logger = silentLogger): Promise<Memory> {
  const openai = createOpenAI({ baseURL: wire.baseURL, apiKey: 'test-key' });
  const memory = createMemory({
    embedding: openai.embedding('text-embedding-3-small'),
    vectors: createInMemoryVectorStore(),
    logger,
  });
  await memory.create({ id: 'c1', userId: 'ada', resourceId: 'default', title: '', metadata: {} });
  return memory;
}

async function save(memory: Memory, ...texts: readonly string[]): Promise<void> {
  await memory.save(
    ada,
    'c1',
    texts.map((text, index) => ({ id: `m${index}`, role: 'user', parts: [{ type: 'text', text }] })),
  );
}

async function found(memory: Memory, query: string): Promise<string | undefined> {
  return (await memory.search(ada, { query, limit: 1, threshold: 0.3 }))[0]?.text;
}

it('searches with the embeddings of the provider package, several texts in one call', async () => {
  const memory = await memoryWith();
  await save(memory, 'the bicycle is red', 'bread and butter', 'good night');
  await memory.flush();

  expect(await found(memory, 'Where is the red bicycle?')).toBe('the bicycle is red');
  expect(wire.requests).toMatchObject([
    {
      path: '/v1/embeddings',
      headers: { authorization: 'Bearer test-key' },
      body: { model: 'text-embedding-3-small', input: ['the bicycle is red', 'bread and butter', 'good night'] },
    },
    { body: { input: ['Where is the red bicycle?'] } },
  ]);
});

it('waits as long as a busy provider requests, and retries', async () => {
  const memory = await memoryWith();
  wire.replyToEmbeddings({ status: 429, retryAfter: 0 }, { status: 503 });
  await save(memory, 'bread and butter');
  await memory.flush();

  expect(await found(memory, 'butter and bread')).toBe('bread and butter');
  expect(wire.requests).toHaveLength(4);
});

it('does not retry when the API key is wrong, until the next flush', async () => {
  const errors: unknown[] = [];
  const memory = await memoryWith({ ...silentLogger, warn: (fields) => void errors.push(fields) });
  wire.replyToEmbeddings({ status: 401 });
  await save(memory, 'bread and butter');
  await memory.flush();

  expect(wire.requests).toHaveLength(1);
  // Without the error itself, which contains the request.
  const reason = 'the provider answered 401: Incorrect API key provided.';
  expect(errors).toEqual([{ code: 'EMBEDDING_FAILED', reason, jobs: 1 }]);
  await memory.flush();
  expect(await found(memory, 'bread')).toBe('bread and butter');
});

it('reports only that the model failed when a search fails', async () => {
  const memory = await memoryWith();
  wire.replyToEmbeddings({ status: 400 });

  await expect(found(memory, 'bread')).rejects.toMatchObject({
    code: 'EMBEDDING_FAILED',
    message: 'The embedding model failed',
  });
});
