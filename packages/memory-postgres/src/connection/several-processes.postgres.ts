import { silentLogger, type Storage } from '@halyard/contracts';
import { Pool } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { storageMigrations } from '../migrations/migrations.ts';
import { createPostgresStorage, type PostgresStorageOptions } from '../postgres-storage.ts';
import { migrations } from '../storage-migrations.ts';
import { listOf, sampleMessage } from '../testing/conversation-workload.ts';
import { type ServerDatabase, createServerDatabase } from '../testing/server-database.ts';

const values = {
  workflowId: 'w',
  workflowName: 'W',
  input: null,
  context: {},
  workflowState: {},
  metadata: {},
  events: [],
};

describe('several processes on a PostgreSQL server', () => {
  let server: ServerDatabase;
  const opened: Storage[] = [];
  beforeAll(async () => {
    server = await createServerDatabase();
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((storage) => storage.close()));
  });
  afterAll(() => server.remove());

  const open = (options: Partial<PostgresStorageOptions> = {}): Storage => {
    const { connectionString } = server;
    const storage = createPostgresStorage({ connectionString, maxConnections: 3, logger: silentLogger, ...options });
    opened.push(storage);
    return storage;
  };

  it('creates its tables once when twenty storages open at the same time', async () => {
    const storages = Array.from({ length: 20 }, () => open({ schema: 'twenty' }));
    await Promise.all(storages.map(({ executions }) => executions.backlog(['order'], 1)));
    await Promise.all(storages.map((storage) => storage.check()));
    expect(await server.query('select number, name from twenty.migrations order by number')).toEqual(
      storageMigrations.migrations.map(({ number, name }) => ({ number, name })),
    );
  });

  it('loses no message of a conversation that several processes write to, and orders the messages consistently', async () => {
    const storages = [open(), open(), open(), open()];
    const create = { id: 'shared', resourceId: 'a', userId: 'ada', title: '', metadata: {} };
    const answers = await Promise.all(
      storages.flatMap(({ conversations }, process) =>
        Array.from({ length: 100 }, (_, index) =>
          conversations.save('anyone', {
            conversationId: 'shared',
            messages: [
              sampleMessage(`${process}-${index}-question`, 'user'),
              sampleMessage(`${process}-${index}-answer`, 'assistant'),
            ],
            create,
          }),
        ),
      ),
    );
    expect(answers.filter((answer) => answer !== 'not-found' && answer.isNew).length).toBe(1);
    const found = await open().conversations.messages('anyone', 'shared', { limit: 1_000 });
    const times = found?.messages.map(({ createdAt }) => createdAt) ?? [];
    expect(new Set(times).size).toBe(800);
    expect(times).toEqual(times.toSorted((one, other) => one - other));
    const pairs = found?.messages
      .filter(({ role }) => role === 'user')
      .map(({ id }) => id.replace('question', 'answer'));
    expect(found?.messages.filter(({ role }) => role === 'assistant').map(({ id }) => id)).toEqual(pairs);
  });

  it('loses none of 200 concurrent updates of one working memory, and takes less time than for one after the other', async () => {
    const storages = [open(), open(), open(), open()];
    await Promise.all(storages.map(({ executions }) => executions.backlog(['order'], 1)));
    const key = { scope: 'user', userId: 'ada' } as const;
    const began = performance.now();
    const written = await Promise.all(
      storages.flatMap(({ workingMemory }, process) =>
        Array.from({ length: 50 }, (_, index) =>
          workingMemory.update('anyone', key, (content) => [...listOf(content), `${process}-${index}`]),
        ),
      ),
    );
    const togetherMs = performance.now() - began;
    expect(new Set(written)).toEqual(new Set([true]));
    const notes = listOf(await open().workingMemory.read('anyone', key));
    expect([notes.length, new Set(notes).size]).toEqual([200, 200]);

    const [storage] = storages;
    const ofBob = { scope: 'user', userId: 'bob' } as const;
    const beganAlone = performance.now();
    for (let index = 0; index < 200; index += 1)
      await storage?.workingMemory.update('anyone', ofBob, (content) => [...listOf(content), index]);
    expect(togetherMs).toBeLessThan(performance.now() - beganAlone);
  });

  it('tells another process that something is due', async () => {
    const [here, there] = [open(), open()];
    const announced = vi.fn<() => void>();
    const stop = there.executions.watchDue(announced);
    // It is called when it begins to listen: something may have been announced before.
    await vi.waitFor(() => expect(announced).toHaveBeenCalledTimes(1), { timeout: 120_000 });
    here.executions.announceDue();
    await vi.waitFor(() => expect(announced).toHaveBeenCalledTimes(2), { timeout: 120_000 });
    stop();
  });

  it('notifies watchers in another process, also after the listening connection was terminated', async () => {
    const [here, there] = [open(), open()];
    await here.executions.create({ id: 'watched', ...values }, { requestId: 'r' });
    expect(
      await notified(there, 'signal', () =>
        here.executions.request('anyone', 'watched', { kind: 'suspend', reason: '' }),
      ),
    ).toBe('signal');
    expect(
      await notified(there, 'commit', () => here.executions.claim('watched', { runner: 'a', leaseMs: 1_000 })),
    ).toBe('commit');
    await server.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query like 'listen%'`,
    );
    expect(
      await notified(there, 'signal', () =>
        here.executions.request('anyone', 'watched', { kind: 'cancel', reason: '' }),
      ),
    ).toBe('signal');
  });

  it('lets only one process claim an execution', async () => {
    const storages = [open(), open(), open()];
    const ids = Array.from({ length: 30 }, (_, index) => `contested-${index}`);
    await Promise.all(ids.map((id) => open().executions.create({ id, ...values }, { requestId: 'r' })));
    const claims = storages.flatMap(({ executions }, process) =>
      ids.map((id) => executions.claim(id, { runner: `process ${process}`, leaseMs: 60_000 })),
    );
    const won = (await Promise.all(claims)).flatMap((claim) => claim?.execution.id ?? []);
    expect(won.toSorted()).toEqual(ids.toSorted());
  });

  it('uses the pool of an app and leaves it open', async () => {
    const pool = new Pool({ connectionString: server.connectionString, max: 1 });
    const storage = createPostgresStorage({ pool, schema: 'of_an_app', logger: silentLogger });
    storage.executions.watch('run', () => {})();
    await storage.executions.create({ id: 'run', ...values }, { requestId: 'r' });
    await storage.close();
    expect((await pool.query<object>('select id from of_an_app.executions')).rows).toEqual([{ id: 'run' }]);
    expect(pool.listenerCount('error')).toBe(0);
    await pool.end();
  });

  it('does not migrate when autoMigrate is false, and works once the migrations were run', async () => {
    const storage = open({ schema: 'by_hand', autoMigrate: false });
    await expect(storage.executions.backlog(['order'], 1)).rejects.toMatchObject({ kind: 'unavailable' });
    const message = 'The schema "by_hand" is not up to date: run the output of migrations.sql()';
    await expect(storage.check()).rejects.toThrow(message);
    await expect(storage.opened?.()).rejects.toThrow(message);
    await server.query(migrations.sql({ schema: 'by_hand' }));
    await vi.waitFor(() => storage.check(), 10_000);
    expect((await storage.executions.backlog(['order'], 1)).count).toBe(0);
  });

  it('rejects a schema name that is not a plain identifier', () => {
    expect(() => open({ schema: 'a"; drop schema public' })).toThrow('is not a valid schema name');
  });
});

/** Makes a change and resolves when `storage` is notified of a change of this kind. */
async function notified(storage: Storage, change: 'commit' | 'signal', act: () => Promise<unknown>): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const stop = storage.executions.watch('watched', (seen) => {
    if (seen === change) resolve(seen);
  });
  await act();
  const seen = await promise;
  stop();
  return seen;
}
