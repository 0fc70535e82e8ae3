import { systemClock } from '@halyard/contracts';
import { Agent, createMemory } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { createInMemoryStorage, InMemoryStreamStore } from '@halyard/memory-in-memory';
import { describe, expect, it, onTestFinished } from 'vitest';
import { testRecovery } from '../../testing/durable-chat-recovery.ts';
import { inMemory } from '../../testing/durable.ts';
import { userOf } from '../../testing/memory.ts';
import { askIn } from '../../testing/resumable.ts';
import { serve } from '../../testing/serve.ts';

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
