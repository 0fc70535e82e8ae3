import { silentLogger, type StreamStore } from '@halyard/contracts';
import { sql } from 'kysely';
import { afterAll, afterEach, expect, it, vi } from 'vitest';
import { Database } from '../connection/database.ts';
import { Notifications } from '../connection/notifications.ts';
import { storageMigrations } from '../migrations/migrations.ts';
import { embeddedForTests } from '../testing/embedded-template.ts';
import { PostgresStreamStore } from './postgres-stream-store.ts';

const leaseMs = 60_000;
const settings = { migrations: storageMigrations, schema: 'halyard', autoMigrate: true, logger: silentLogger };
let shiftMs = 0;
const database = new Database({ ...(await embeddedForTests()), ...settings, shiftMs: () => shiftMs });
const notifications = new Notifications(database, settings);
const store: StreamStore = new PostgresStreamStore(database, notifications, { maxBytesPerStream: 2_000 });

afterEach(() => {
  vi.useRealTimers();
});
afterAll(async () => {
  await notifications.close();
  await database.close();
});

it('loses a live stream that exceeds its limit, with its chunks, and lets its conversation begin another', async () => {
  await begin('long');
  const part = 'x'.repeat(900);
  expect(await store.append('long', { after: 0, chunks: [part] }, leaseMs)).toBe('appended');
  expect(await store.append('long', { after: 1, chunks: [part] }, leaseMs)).toBe('appended');
  // A repeated append does not add to the size.
  expect(await store.append('long', { after: 1, chunks: [part] }, leaseMs)).toBe('appended');
  expect(await store.append('long', { after: 2, chunks: [part] }, leaseMs)).toBe('lost');

  expect(await store.read('long', { after: 0, limit: 9 })).toEqual({ chunks: [], status: 'lost' });
  expect(await store.end('long', { after: 3, chunks: [] })).toBe(false);
  const { rows } = await database.read((db) => sql`select upto from halyard.stream_chunks`.execute(db));
  expect(rows).toEqual([]);
  expect(await begin('next', 'long')).toEqual({ kind: 'begun' });
});

it('does not end a stream whose last chunks exceed its limit', async () => {
  await begin('longer');
  expect(await store.end('longer', { after: 0, chunks: ['x'.repeat(2_000)] })).toBe(false);
  expect(await store.read('longer', { after: 0, limit: 9 })).toEqual({ chunks: [], status: 'lost' });
});

it('notifies watchers when the lease of a stream expires, also in an embedded database', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  await begin('left');
  const { promise, resolve } = Promise.withResolvers<void>();
  let isExpected = false;
  const stop = store.watch('left', () => {
    if (isExpected) resolve();
  });
  // Polling starts when the database is open.
  await database.check();
  await poll();
  isExpected = true;
  shiftMs += leaseMs;
  await poll();
  await promise;
  stop();
  expect((await store.read('left', { after: 0, limit: 9 }))?.status).toBe('lost');
});

function begin(id: string, conversationId = id) {
  return store.begin({ id, agentId: 'writer', conversationId, userId: 'ada' }, leaseMs);
}

/**
 * Lets the store poll for changes, as it does every second, and waits for it: the embedded database
 * has one connection.
 */
async function poll(): Promise<void> {
  vi.advanceTimersByTime(1_000);
  await database.check();
}
