import { silentLogger } from '@halyard/contracts';
import { Client, Pool } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPostgresStorage } from '../postgres-storage.ts';
import { type ServerDatabase, createServerDatabase } from '../testing/server-database.ts';

let server: ServerDatabase;
beforeAll(async () => {
  server = await createServerDatabase();
});
afterAll(async () => {
  await server.remove();
});

it('counts the connections of its pool, and the calls that wait for one', async () => {
  const { connectionString } = server;
  const storage = createPostgresStorage({ connectionString, maxConnections: 3, logger: silentLogger });
  await storage.opened?.();
  await storage.check();
  const before = storage.connections?.();
  expect(before).toMatchObject({ waiting: 0, max: 3 });
  expect(before?.idle).toBeGreaterThanOrEqual(1);

  const locker = new Client({ connectionString });
  await locker.connect();
  await locker.query('begin; lock table halyard.conversations');
  const reads = Array.from({ length: 8 }, () => storage.conversations.find('anyone', 'c'));
  const settled = Promise.allSettled(reads);
  await expect.poll(() => storage.connections?.()).toEqual({ total: 3, idle: 0, waiting: 5, max: 3 });

  await locker.query('rollback');
  await locker.end();
  await settled;
  expect(storage.connections?.()).toMatchObject({ waiting: 0 });
  await storage.close();
  expect(storage.connections?.()).toBeUndefined();
});

it('counts those of the pool of the app', async () => {
  const pool = new Pool({ connectionString: server.connectionString, max: 4 });
  const storage = createPostgresStorage({ pool, logger: silentLogger });
  await storage.opened?.();
  expect(storage.connections?.()).toEqual({
    total: pool.totalCount,
    idle: pool.idleCount,
    waiting: pool.waitingCount,
    max: 4,
  });
  await storage.close();
  await pool.end();
});

it('may lose its connections while it is closed', async () => {
  const { connectionString } = server;
  const admin = new Client({ connectionString });
  await admin.connect();
  const end =
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()';
  let ended = 0;
  for (let round = 0; round < 20; round += 1) {
    const storage = createPostgresStorage({ connectionString, maxConnections: 8, logger: silentLogger });
    await storage.opened?.();
    await Promise.all(Array.from({ length: 8 }, () => storage.conversations.find('anyone', 'c')));
    const [{ rowCount }] = await Promise.all([admin.query(end), storage.close()]);
    ended += rowCount ?? 0;
  }
  await admin.end();
  expect(ended).toBeGreaterThan(0);
});
