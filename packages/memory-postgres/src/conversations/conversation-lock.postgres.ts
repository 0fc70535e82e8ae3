import { silentLogger, type Storage } from '@halyard/contracts';
import { Agent, type BusyPolicy, createMemory } from '@halyard/core';
import { randomIds } from '@halyard/core/server';
import { lockStreamKey, scriptedModel, type ScriptedReply } from '@halyard/core/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPostgresStorage } from '../postgres-storage.ts';
import { type ServerDatabase, createServerDatabase } from '../testing/server-database.ts';

describe('one conversation in two processes on a PostgreSQL server', () => {
  let server: ServerDatabase;
  const storages: Storage[] = [];
  beforeAll(async () => {
    server = await createServerDatabase();
    const { connectionString } = server;
    for (let process = 0; process < 2; process += 1)
      storages.push(createPostgresStorage({ connectionString, maxConnections: 3, logger: silentLogger }));
  });
  afterAll(async () => {
    await Promise.all(storages.map((storage) => storage.close()));
    await server.remove();
  });

  /** The same agent in both processes. */
  const agents = (onBusy: BusyPolicy, turn: ScriptedReply) =>
    storages.map(
      (storage) => new Agent({ id: 'a', model: scriptedModel(turn), memory: createMemory({ storage }), onBusy }),
    );
  const options = () => ({ userId: 'ada', conversationId: randomIds.next() });
  const linesOf = async (id: string): Promise<string[]> => {
    const stored = await storages[0]?.conversations.messages('anyone', id, { limit: 100 });
    return (stored?.messages ?? []).map(
      ({ parts, role }) => `${role}: ${parts.map((part) => (part.type === 'text' ? part.text : '')).join('')}`,
    );
  };

  it('is answered one question after the other, and each answer sees those before it', async () => {
    const processes = agents('queue', ({ prompt }) => `after ${prompt.length - 1}`);
    const run = options();

    await Promise.all(
      Array.from({ length: 10 }, async (_, at) =>
        processes[at % 2]?.generateText('Next', { ...run, contextLimit: 50 }),
      ),
    );

    expect(await linesOf(run.conversationId)).toEqual(
      Array.from({ length: 10 }, (_, at) => ['user: Next', `assistant: after ${2 * at}`]).flat(),
    );
    expect(await server.query('select id from halyard.streams')).toEqual([]);
  });

  it('stops the answer of the other process with the policy interrupt', async () => {
    const entered = Promise.withResolvers<void>();
    const [here, there] = agents('interrupt', ({ prompt }) => {
      if (prompt.length > 1) return 'Second.';
      entered.resolve();
      return new Promise(() => {});
    });
    const run = options();
    const first = here?.generateText('One', run);
    await entered.promise;
    // The question is stored during the model call.
    await expect.poll(() => linesOf(run.conversationId)).toEqual(['user: One']);

    const [interrupted, second] = await Promise.allSettled([first, there?.generateText('Two', run)]);

    expect(interrupted).toMatchObject({ status: 'rejected', reason: { code: 'ABORTED' } });
    expect(second).toMatchObject({ status: 'fulfilled', value: { text: 'Second.' } });
    expect(await linesOf(run.conversationId)).toEqual(['user: One', 'user: Two', 'assistant: Second.']);
  });

  it('is free again when the lease of a process that died has expired, and nothing is locked until then', async () => {
    const [here] = agents('queue', () => 'Hello.');
    const run = options();
    const place = { userId: run.userId, ...lockStreamKey({ agentId: 'a', conversationId: run.conversationId }) };
    await storages[1]?.streams?.begin({ id: randomIds.next(), ...place }, 1_500);

    const answer = here?.generateText('Hi', run);
    expect(
      await server.query(
        "select 1 from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'",
      ),
    ).toEqual([]);

    expect((await answer)?.text).toBe('Hello.');
  });
});
