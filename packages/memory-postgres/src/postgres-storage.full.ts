import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@halyard/contracts';
import { expect, it } from 'vitest';
import type { OpenedPool } from './connection/database.ts';
import { assembleStorage, createPostgresStorage } from './postgres-storage.ts';
import { copyEmbeddedTemplate, embeddedForTests } from './testing/embedded-template.ts';

it('consumes an approval once when several calls try, and deletes expired approvals', async () => {
  let shiftMs = 0;
  const storage = assembleStorage(await embeddedForTests(), { logger: silentLogger, clockShiftMs: () => shiftMs });
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
  const embedded = await embeddedForTests();
  const opening = Promise.withResolvers<OpenedPool>();
  const open = async (signal: AbortSignal): Promise<OpenedPool> => {
    const opened = await embedded.open(signal);
    opening.resolve(opened);
    return opened;
  };
  const storage = assembleStorage({ ...embedded, open }, { logger: silentLogger });
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
  await copyEmbeddedTemplate(dataDir);
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
