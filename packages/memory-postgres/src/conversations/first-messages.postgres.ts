import { silentLogger, type Storage } from '@halyard/contracts';
import { Agent, createMemory } from '@halyard/core';
import { randomIds } from '@halyard/core/server';
import { scriptedModel } from '@halyard/core/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPostgresStorage } from '../postgres-storage.ts';
import { type ServerDatabase, createServerDatabase } from '../testing/server-database.ts';

describe('concurrent first messages of one conversation on a PostgreSQL server', () => {
  let server: ServerDatabase;
  const storages: Storage[] = [];
  beforeAll(async () => {
    server = await createServerDatabase();
    const { connectionString } = server;
    for (let process = 0; process < 2; process += 1)
      storages.push(createPostgresStorage({ connectionString, logger: silentLogger }));
  });
  afterAll(async () => {
    await Promise.all(storages.map((storage) => storage.close()));
    await server.remove();
  });

  it.each([
    { messages: 2, rounds: 150 },
    { messages: 30, rounds: 30 },
  ])('are all answered and stored: $rounds times $messages messages', async ({ messages, rounds }) => {
    // Without a shared stream store, the runs do not wait for each other.
    const agents = Array.from({ length: messages / 2 }).flatMap(() =>
      storages.map(({ conversations, users, workingMemory }) => {
        const memory = createMemory({ storage: { conversations, users, workingMemory } });
        return new Agent({ id: 'a', model: scriptedModel(() => 'Hello.'), memory });
      }),
    );
    const options = { user: { id: 'ada' } };

    for (let round = 0; round < rounds; round += 1) {
      const conversationId = randomIds.next();
      const runs = await Promise.allSettled(
        agents.map((agent) => agent.generateText('Hi', { ...options, conversationId })),
      );
      expect(runs.filter(({ status }) => status === 'rejected')).toEqual([]);
      const stored = await storages[0]?.conversations.messages({ user: 'ada' }, conversationId, { limit: 100 });
      expect(stored?.messages.length).toBe(2 * messages);
    }
  });
});
