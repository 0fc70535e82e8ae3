import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigurationError, silentLogger } from '@halyard/contracts';
import { expect, it } from 'vitest';
import type { OpenedPool } from './connection/database.ts';
import { inMemoryOpener } from './connection/embedded/open-embedded.ts';
import { assembleStorage, createPostgresStorage } from './postgres-storage.ts';

it('rejects invalid options', () => {
  expect(() => createPostgresStorage({ dataDir: '/nowhere', schema: 'Halyard' })).toThrow('is not a valid schema name');
});

it.each([
  ['localhost', 'must be the URL of a PostgreSQL server: postgres://user:password@host:5432/database'],
  ['mysql://root:topsecret@localhost/shop', 'postgres://user:password@host:5432/database, not mysql://…'],
  ['postgres://root:topsecret@localhost:5432:1/shop', 'must be the URL of a PostgreSQL server'],
  [
    'postgres://root:topsecret@localhost/shop?sslmode=allow',
    'unknown sslmode "allow". Use one of disable, prefer, require, verify-ca, verify-full, no-verify',
  ],
])('rejects the connection string %s without repeating its password', (connectionString, says) => {
  const create = (): unknown => createPostgresStorage({ connectionString });
  expect(create).toThrow(ConfigurationError);
  expect(create).toThrow(says);
  expect(create).not.toThrow('topsecret');
});

it.each([
  'postgres://ada@/shop?host=/var/run/postgresql',
  'postgresql://ada@%2Fvar%2Frun%2Fpostgresql/shop?sslmode=disable',
  'socket:/var/run/postgresql?db=shop',
])('accepts the connection string %s', async (connectionString) => {
  const storage = createPostgresStorage({ connectionString, logger: silentLogger });
  await expect(storage.close()).resolves.toBeUndefined();
});

it('can be closed before its database was reachable, also with a watcher', async () => {
  const open = (): Promise<never> => Promise.reject(new TypeError('connection refused'));
  const storage = assembleStorage({ open, openTimeoutMs: 10 }, { logger: silentLogger });
  storage.executions.watch('run', () => {});
  await expect(storage.executions.find('anyone', 'run')).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
  await expect(storage.check()).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
  await storage.close();
  await expect(storage.executions.find('anyone', 'run')).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
});

it('warns once with the reason when no logger is passed and the database cannot be opened', async () => {
  const open = (): Promise<never> => Promise.reject(new ConfigurationError('a package is missing'));
  const warned = once(process, 'warning');
  const storage = assembleStorage({ open, openTimeoutMs: 10 }, {});
  const [warning] = await warned;
  await storage.close();
  expect(warning).toMatchObject({ name: 'HalyardStorageWarning', message: 'a package is missing' });
});

it('consumes an approval once when several calls try, and deletes expired approvals', async () => {
  let shiftMs = 0;
  const storage = assembleStorage(inMemoryOpener(), { logger: silentLogger, clockShiftMs: () => shiftMs });
  const values = { input: null, context: {}, workflowState: {}, metadata: {}, events: [] };
  await storage.executions.create({ id: 'clock', workflowId: 'w', workflowName: 'W', ...values }, { requestId: 'r' });
  const now = (await storage.executions.find('anyone', 'clock'))?.createdAt ?? 0;
  const soon = now + 10_000;
  const answers = await Promise.all(Array.from({ length: 9 }, () => storage.approvals.consume('one', soon)));
  expect(answers.filter(Boolean)).toEqual([true]);
  shiftMs += 60_000;
  expect(await storage.approvals.consume('another', soon + 900_000)).toBe(true);
  expect(await storage.approvals.consume('one', soon + 900_000)).toBe(true);
  await storage.close();
});

it('tells a table that is empty from one whose rows are not estimated yet', async () => {
  const memory = inMemoryOpener();
  const opening = Promise.withResolvers<OpenedPool>();
  const open = async (signal: AbortSignal): Promise<OpenedPool> => {
    const opened = await memory.open(signal);
    opening.resolve(opened);
    return opened;
  };
  const storage = assembleStorage({ ...memory, open }, { logger: silentLogger });
  const rowsOf = async (name: string): Promise<number | null | undefined> =>
    (await storage.size?.())?.tables.find((table) => table.name === name)?.rows;
  expect(await rowsOf('executions')).toBeNull();
  const { pool } = await opening.promise;
  const connection = await pool.connect();
  await connection.query('analyze halyard.executions', []);
  connection.release();
  expect(await rowsOf('executions')).toBe(0);
  await storage.close();
});

it('writes with times of the past when its clock is shifted', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'halyard-storage-'));
  let clockShiftMs = Date.UTC(2020, 0, 1) - Date.now();
  const storage = createPostgresStorage({ dataDir, clockShiftMs: () => clockShiftMs });
  const create = { resourceId: 'desk', userId: 'ada', title: '', metadata: {} };
  for (const id of ['past', 'present']) {
    await storage.conversations.save('anyone', { conversationId: id, create: { id, ...create }, messages: [] });
    clockShiftMs = 0;
  }
  const past = await storage.conversations.find('anyone', 'past');
  const present = await storage.conversations.find('anyone', 'present');
  await storage.close();
  rmSync(dataDir, { recursive: true });
  expect(new Date(past?.createdAt ?? 0).getUTCFullYear()).toBe(2020);
  expect(present?.createdAt).toBeGreaterThan(Date.UTC(2025, 0, 1));
});
