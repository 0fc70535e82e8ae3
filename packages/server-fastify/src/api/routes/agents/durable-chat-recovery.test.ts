import { systemClock } from '@halyard/contracts';
import { Agent, createMemory } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { createInMemoryStorage, InMemoryStreamStore } from '@halyard/memory-in-memory';
import { describe, expect, it, onTestFinished } from 'vitest';
import { testRecovery } from '../../../testing/durable-chat-recovery.ts';
import { inMemory } from '../../../testing/durable.ts';
import { userOf } from '../../../testing/memory.ts';
import { askIn, read, textOf } from '../../../testing/resumable.ts';
import { serve } from '../../../testing/serve.ts';

describe('a durable chat, stored in memory,', () => {
  testRecovery(inMemory);
});

it('ends with an error, and asks the model once, when it is longer than the storage allows', async () => {
  let count = 0;
  const talker = new Agent({
    id: 'talker',
    durable: true,
    model: scriptedModel(() => {
      count += 1;
      return { text: ['long '.repeat(2_000)] };
    }),
  });
  const streams = new InMemoryStreamStore(systemClock, { maxBytesPerStream: 5_000 });
  const storage = { ...createInMemoryStorage(), streams };
  const server = await serve([], { agents: [talker], storage, memory: createMemory({ storage }), userOf });
  onTestFinished(() => server.close());
  await expect(askIn('long', server, { agent: 'talker', options: {} })).rejects.toThrow('The answer was lost');
  const listed = await storage.executions.list('anyone', { parentExecutionId: null, limit: 50, offset: 0 });
  expect(listed.executions).toMatchObject([{ status: 'error' }]);
  expect(count).toBe(1);
});

it('is answered again when the same question arrives after its run has failed', async () => {
  let count = 0;
  const model = scriptedModel(() => {
    count += 1;
    return count === 1
      ? { text: ['Half ', 'of it'], error: new RangeError('down'), failAfterText: true }
      : { text: ['All ', 'of it'] };
  });
  const storage = createInMemoryStorage();
  const server = await serve([], {
    agents: [new Agent({ id: 'failing', durable: true, model, retries: { maxRetries: 0 } })],
    storage,
    memory: createMemory({ storage }),
    userOf,
  });
  onTestFinished(() => server.close());
  const ask = async () => read(await askIn('again', server, { agent: 'failing', options: {} }));
  const failed = await ask().catch(() => undefined);
  expect(failed?.chunks.at(-1)?.type).not.toBe('finish');

  const [second, third] = [await ask(), await ask()];
  expect([second, third].map(({ message }) => textOf(message))).toEqual(['All of it', 'All of it']);
  expect([second, third].map(({ chunks }) => chunks.at(-1)?.type)).toEqual(['finish', 'finish']);
  expect(count).toBe(2);
});
