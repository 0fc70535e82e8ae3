// oxlint-disable halyard/no-wall-clock -- a campaign measures how long calls take
import { silentLogger, type Storage } from '@halyard/contracts';
import { sql } from 'kysely';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Database } from '../connection/database.ts';
import { serverOpener } from '../connection/open-pool.ts';
import { storageMigrations } from '../migrations/migrations.ts';
import { createPostgresStorage } from '../postgres-storage.ts';
import { sampleMessage } from './conversation-workload.ts';
import { type PostgresServer, startPostgresServer } from './postgres-server.ts';
import { type SilentProxy, startSilentProxy } from './silent-proxy.ts';

const conversation = { id: 'c-1', resourceId: 'a', userId: 'ada', title: '', metadata: {} };
type Calls = readonly (() => Promise<unknown>)[];

const values = { workflowId: 'w', workflowName: 'W', input: null, context: {}, workflowState: {}, metadata: {} };

/**
 * Declares the tests of a server that is locked or silent.
 *
 * @param isTimed whether to check how long calls take, which a busy machine may exceed.
 */
export function describeSlowServer({ isTimed }: { readonly isTimed: boolean }): void {
  let server: PostgresServer;
  let proxy: SilentProxy;
  let storage: Storage;
  beforeAll(async () => {
    server = await startPostgresServer({ fsync: false });
    proxy = await startSilentProxy(server.connectionString);
    storage = createPostgresStorage({ connectionString: proxy.connectionString, logger: silentLogger });
    await storage.conversations.create(conversation);
  });
  afterAll(async () => {
    await storage.close();
    await proxy.close();
    await server.remove();
  });

  const saves = (count: number): Calls =>
    Array.from({ length: count }, (_, at) => () => {
      const messages = [sampleMessage(`m-${at}`, 'user')];
      return storage.conversations.save('anyone', { conversationId: 'c-1', messages });
    });
  const creates = (count: number): Calls =>
    Array.from(
      { length: count },
      (_, at) => () => storage.executions.create({ id: `e-${at}`, ...values, events: [] }, { requestId: `r-${at}` }),
    );
  const reads = (count: number): Calls =>
    Array.from({ length: count }, () => () => storage.conversations.messages('anyone', 'c-1', { limit: 1 }));
  const allCalls = (count: number): Calls => [...saves(count), ...creates(count), ...reads(count)];

  /** Checks that each call is refused as unavailable, if `isTimed` within the limit. */
  const expectRefused = async (calls: Calls, withinMs: number): Promise<void> => {
    const began = performance.now();
    const refused = await Promise.all(
      calls.map(async (call) => {
        await expect(call()).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
        return performance.now() - began;
      }),
    );
    if (isTimed) expect(Math.max(...refused)).toBeLessThan(withinMs);
  };

  it.each<[string, () => Calls]>([
    ['a write', () => saves(1)],
    ['many writes', () => saves(150)],
    ['many starts', () => creates(150)],
    ['many reads', () => reads(100)],
    ['many calls of all kinds', () => allCalls(50)],
  ])('refuses %s within six seconds while the tables are locked', async (_name, calls) => {
    const holder = new Client({ connectionString: server.connectionString });
    await holder.connect();
    await holder.query('begin; lock table halyard.conversations, halyard.executions');
    try {
      await expectRefused(calls(), 6_000);
    } finally {
      await holder.end();
    }
    await expect(storage.conversations.find('anyone', 'c-1')).resolves.toBeDefined();
  });

  it('refuses only the writes to a locked conversation', async () => {
    const holder = new Client({ connectionString: server.connectionString });
    await holder.connect();
    await holder.query("begin; select from halyard.conversations where id = 'c-1' for update");
    const others = Array.from({ length: 20 }, (_, at) => `other-${at}`);
    const save = (id: string): Promise<unknown> =>
      storage.conversations.save('anyone', { conversationId: id, messages: [], create: { ...conversation, id } });
    const [refused, ...saved] = await Promise.allSettled(['c-1', ...others].map(save));
    await holder.end();
    expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'STORAGE_UNAVAILABLE' } });
    expect(saved.map(({ status }) => status)).toEqual(others.map(() => 'fulfilled'));
  });

  it('is noticed within ten seconds when it is silent, and then refuses calls at once until it responds again', async () => {
    await Promise.all(allCalls(5).map((call) => call()));
    proxy.silence();
    await expectRefused(allCalls(25), 10_000);
    await expectRefused(allCalls(25), 1_000);
    await expect(storage.check()).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });

    proxy.heal();
    const find = (): Promise<string | undefined> =>
      storage.conversations.find('anyone', 'c-1').then(
        (found) => found?.id,
        () => undefined,
      );
    await expect.poll(find, { timeout: 60_000 }).toBe('c-1');
    await Promise.all(allCalls(25).map((call) => call()));
  });

  it('is left alone while it is only slow', async () => {
    const opener = serverOpener({ connectionString: server.connectionString, maxConnections: 2, logger: silentLogger });
    const settings = { schema: 'halyard', autoMigrate: false, logger: silentLogger, shiftMs: () => 0 };
    const database = new Database({ ...opener, ...settings, migrations: storageMigrations });
    const slow = database.run((db) => sql<{ readonly n: number }>`select 1 as n from pg_sleep(6)`.execute(db));
    expect((await slow).rows).toEqual([{ n: 1 }]);
    await database.close();
  });
}
