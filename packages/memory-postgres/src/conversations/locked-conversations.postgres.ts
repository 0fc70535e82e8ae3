import { type SavedMessages, silentLogger, type Storage } from '@halyard/contracts';
import { Client, Pool } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createPostgresStorage } from '../postgres-storage.ts';
import { sampleMessage } from '../testing/conversation-workload.ts';
import { type PostgresServer, startPostgresServer } from '../testing/postgres-server.ts';

/** Neither the first nor the last in the order of ids. */
const busyId = 'c-20';
const ids = Array.from({ length: 40 }, (_, index) => `c-${String(index).padStart(2, '0')}`);
const gate = 1;

describe('conversations beside one that another transaction has locked', () => {
  let server: PostgresServer;
  let pool: Pool;
  let storage: Storage;
  let locker: Client;

  beforeAll(async () => {
    server = await startPostgresServer({ fsync: false });
    // Without timeouts: who waits for a lock waits until the test ends.
    pool = new Pool({ connectionString: server.connectionString });
    storage = createPostgresStorage({ pool, logger: silentLogger });
    locker = new Client({ connectionString: server.connectionString });
    await locker.connect();
    await storage.conversations.isTaken('c');
    await locker.query(`
      create function wait_at_gate() returns trigger language plpgsql as $$ begin perform pg_advisory_xact_lock(${gate}); return new; end $$;
      create trigger gate before insert on halyard.messages for each row when (new.role = 'assistant') execute function wait_at_gate()`);
  });
  afterAll(async () => {
    await locker.end();
    await storage.close();
    await pool.end();
    await server.remove();
  });
  beforeEach(async () => {
    await locker.query('delete from halyard.conversations');
  });

  const save = (id: string): Promise<SavedMessages | 'not-found'> =>
    storage.conversations.save(
      { user: 'ada' },
      {
        conversationId: id,
        messages: [sampleMessage('m-1', 'user')],
        create: { id, resourceId: 'a', userId: 'ada', title: '', metadata: {} },
      },
    );

  /** Saves all in one batch. Resolves when those of others are saved; `busy` then still waits. */
  async function saveAll(): Promise<{ readonly busy: Promise<SavedMessages | 'not-found'> }> {
    const saves = new Map(ids.map((id) => [id, save(id)]));
    const busy = saves.get(busyId) ?? Promise.reject(new TypeError('not saved'));
    saves.delete(busyId);
    for (const saved of await Promise.all(saves.values())) expect(saved).toMatchObject({ dropped: [] });
    await expect(Promise.race([busy, Promise.resolve('still waiting')])).resolves.toBe('still waiting');
    return { busy };
  }

  it('are saved while it is cloned to an id of theirs, and that one afterwards', async () => {
    const original = { id: 'original', resourceId: 'a', userId: 'ada', title: '', metadata: {} };
    await storage.conversations.save('anyone', {
      conversationId: original.id,
      messages: [sampleMessage('m-1', 'assistant')],
      create: original,
    });
    await locker.query(`select pg_advisory_lock(${gate})`);
    const clone = storage.conversations.clone('anyone', { id: original.id, newId: busyId, includeMessages: true });
    await expect
      .poll(() => server.query(`select pid from pg_locks where locktype = 'advisory' and not granted`))
      .toHaveLength(1);

    const { busy } = await saveAll();

    await locker.query(`select pg_advisory_unlock(${gate})`);
    await expect(clone).resolves.toMatchObject({ messageCount: 1 });
    expect(await busy).toEqual({ isNew: false, dropped: [] });
    expect((await storage.conversations.messages('anyone', busyId, { limit: 9 }))?.messages).toHaveLength(2);
  });

  it.each([
    ['changed', `update halyard.conversations set title = 'New' where id = '${busyId}'`, false],
    ['deleted', `delete from halyard.conversations where id = '${busyId}'`, true],
  ])('are saved while it is %s, and that one afterwards', async (_name, statement, isNew) => {
    await Promise.all(ids.map(save));
    await locker.query('begin');
    await locker.query(statement);

    const { busy } = await saveAll();

    await locker.query('commit');
    expect(await busy).toEqual({ isNew, dropped: [] });
  });

  it('belongs to another user: answers at once that it is not found', async () => {
    await Promise.all(ids.map(save));
    await locker.query('begin');
    await locker.query(`update halyard.conversations set user_id = 'ben' where id = '${busyId}'`);
    await locker.query('commit');
    await locker.query('begin');
    await locker.query(`delete from halyard.conversations where id = '${busyId}'`);

    expect(await save(busyId)).toBe('not-found');

    await locker.query('rollback');
  });
});
