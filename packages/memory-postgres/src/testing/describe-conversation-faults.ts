// oxlint-disable halyard/no-wall-clock -- a campaign measures how long calls take
import { setTimeout as delay } from 'node:timers/promises';
import { silentLogger, type Storage } from '@halyard/contracts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPostgresStorage } from '../postgres-storage.ts';
import {
  type AcknowledgedConversation,
  listOf,
  runConversations,
  sampleMessage,
  storedConversation,
} from './conversation-workload.ts';
import { type PostgresServer, startPostgresServer } from './postgres-server.ts';
import { retryWhileUnavailable } from './retry-while-unavailable.ts';

const values = { workflowId: 'w', workflowName: 'W', input: null, context: {}, workflowState: {}, metadata: {} };
const shared = { id: 'shared', resourceId: 'a', userId: 'ada', title: '', metadata: {} };
const ofUser = { scope: 'user', userId: 'ada' } as const;

/**
 * Declares the tests of a server that fails.
 *
 * @param parallel how many calls are made at once. A storage refuses those that wait too long for
 * others, which is what 500 do on a busy machine.
 * @param isTimed whether to compare the time with that of calls one after the other.
 */
export function describeConversationFaults({
  isTimed,
  parallel,
}: {
  readonly parallel: number;
  readonly isTimed: boolean;
}): void {
  let server: PostgresServer;
  let storage: Storage;
  beforeAll(async () => {
    server = await startPostgresServer({ fsync: false });
    storage = createPostgresStorage({ connectionString: server.connectionString, logger: silentLogger });
    await storage.conversations.create(shared);
  });
  afterAll(async () => {
    await storage.close();
    await server.remove();
  });

  it(`completes ${parallel} parallel writes of every kind with a pool of ten, and leaves no connection in a transaction`, async () => {
    const began = performance.now();
    const answers = await Promise.all(Array.from({ length: parallel }, (_, index) => writeEveryKind(`kind-${index}`)));
    const togetherMs = performance.now() - began;
    const [first] = answers;
    expect(first).toEqual({
      created: 'ada',
      saved: { isNew: false, dropped: [] },
      begun: { isNew: true, dropped: [] },
      dropped: { isNew: false, dropped: ['m-2'] },
      shared: { isNew: false, dropped: [] },
      noted: true,
      notedOfConversation: true,
      titled: 'New',
      cloned: 1,
      deletedMessages: ['m-1'],
      deleted: true,
      execution: 'created',
      consumed: true,
      purged: 0,
    });
    expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toEqual(new Set([JSON.stringify(first)]));
    expect((await storage.conversations.messages('anyone', 'shared', { limit: 1_000 }))?.messages.length).toBe(
      parallel,
    );
    expect(new Set(listOf(await storage.workingMemory.read('anyone', ofUser))).size).toBe(parallel);
    expect(
      await server.query(
        `select count(*)::integer as idle from pg_stat_activity where state like 'idle in transaction%'`,
      ),
    ).toEqual([{ idle: 0 }]);

    if (!isTimed) return;
    const beganAlone = performance.now();
    for (let index = 0; index < 50; index += 1) await writeEveryKind(`alone-${index}`);
    expect(togetherMs).toBeLessThan((parallel / 50) * (performance.now() - beganAlone));
  });

  it('loses no acknowledged write while connections are terminated at random', async () => {
    const acknowledged = await underLoad('terminated', async () => {
      for (let time = 0; time < 40; time += 1) {
        await server.query(
          `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'halyard' and random() < 0.3`,
        );
        await delay(50);
      }
    });
    expect(acknowledged.length).toBeGreaterThan(30);
    expect(await Promise.all(acknowledged.map((one) => storedConversation(storage, one)))).toEqual(acknowledged);
  });

  it('loses no acknowledged write while the server crashes and restarts', async () => {
    const acknowledged = await underLoad('crashed', async () => {
      for (let time = 0; time < 3; time += 1) {
        await delay(1_000);
        await server.crash();
      }
    });
    expect(acknowledged.length).toBeGreaterThan(30);
    expect(await Promise.all(acknowledged.map((one) => storedConversation(storage, one)))).toEqual(acknowledged);
    await expect(storage.check()).resolves.toBeUndefined();
  });

  it('deletes all data of a user while connections are terminated at random and others write', async () => {
    const begun = Array.from({ length: 400 }, (_, index) => index);
    await Promise.all(
      begun.map((index) => {
        const create = { ...shared, id: `of-eve-${index}`, userId: 'eve' };
        const messages = [sampleMessage('m-1', 'user'), sampleMessage('m-2', 'assistant')];
        return storage.conversations.save('anyone', { conversationId: create.id, messages, create });
      }),
    );
    const acknowledged = await underLoad('concurrent', async () => {
      const ending = setInterval(
        () =>
          void server.query(
            `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'halyard' and random() < 0.3`,
          ),
        30,
      );
      await retryWhileUnavailable(() => storage.users.delete('eve'));
      clearInterval(ending);
    });
    const filter = { orderBy: 'title', direction: 'asc', limit: 1, offset: 0 } as const;
    expect((await storage.conversations.list({ user: 'eve' }, filter)).total).toBe(0);
    expect(
      await server.query(
        `select count(*)::integer as left_over from halyard.messages m
        where not exists (select from halyard.conversations c where c.key = m.conversation_key)`,
      ),
    ).toEqual([{ left_over: 0 }]);
    expect(await Promise.all(acknowledged.map((one) => storedConversation(storage, one)))).toEqual(acknowledged);
  });

  it('rejects calls while the server is down, and works again when it is up', async () => {
    await server.stop();
    const { conversations, users, workingMemory } = storage;
    const calls = [
      () => conversations.messages('anyone', 'shared', { limit: 1 }),
      () => conversations.save('anyone', { conversationId: 'shared', messages: [sampleMessage('away', 'user')] }),
      () => conversations.list('anyone', { orderBy: 'title', direction: 'asc', limit: 1, offset: 0 }),
      () => workingMemory.update('anyone', ofUser, (content) => content),
      () => users.delete('eve'),
      () => storage.approvals.purge(1),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    await server.start();
    for (const call of calls) await expect(call()).resolves.toBeDefined();
  });

  async function writeEveryKind(id: string): Promise<object> {
    const { approvals, conversations, executions, workingMemory } = storage;
    const save = (conversationId: string, messageId: string, more: object = {}) =>
      conversations.save('anyone', { conversationId, messages: [sampleMessage(messageId, 'user')], ...more });
    const append = (content: unknown): string[] => [...(Array.isArray(content) ? (content as string[]) : []), id];
    const of = (conversationId: string) => ({ scope: 'conversation', conversationId }) as const;
    const begunId = `${id}-begun`;
    const copy = { id, newId: `${id}-copy`, includeMessages: true };
    const cloned = async (): Promise<unknown> => {
      const answer = await conversations.clone('anyone', copy);
      return typeof answer === 'string' ? answer : answer.messageCount;
    };
    return {
      created: (await conversations.create({ ...shared, id }))?.userId,
      saved: await save(id, 'm-1'),
      begun: await save(begunId, 'm-1', { create: { ...shared, id: begunId } }),
      dropped: await save(begunId, 'm-2').then(() => save(begunId, 'm-3', { dropAfter: 'm-1' })),
      shared: await save('shared', id),
      noted: await workingMemory.update('anyone', ofUser, append),
      notedOfConversation: await workingMemory.update('anyone', of(id), append),
      titled: (await conversations.update('anyone', id, { title: 'New' }))?.title,
      cloned: await cloned(),
      deletedMessages: await conversations.deleteMessages('anyone', begunId, ['m-1']),
      deleted: await conversations.delete('anyone', begunId),
      execution: await executions.create({ id, ...values, events: [] }, { requestId: id }),
      consumed: await approvals.consume(id, 9e15),
      purged: await approvals.purge(5),
    };
  }

  async function underLoad(name: string, disturb: () => Promise<void>): Promise<readonly AcknowledgedConversation[]> {
    let isOver = false;
    const runs = Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        runConversations(storage, { name: `${name}-${index}`, turns: 3, shouldStop: () => isOver }),
      ),
    );
    await disturb();
    isOver = true;
    return (await runs).flat();
  }
}
