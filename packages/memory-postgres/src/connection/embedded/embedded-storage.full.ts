import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { ConfigurationError, type Storage } from '@halyard/contracts';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createPostgresStorage } from '../../postgres-storage.ts';
import { type AcknowledgedConversation, storedConversation } from '../../testing/conversation-workload.ts';
import { copyEmbeddedTemplate } from '../../testing/embedded-template.ts';
import type { Acknowledged } from '../../testing/steps-workload.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'halyard-embedded-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

it('creates a database in a directory, and stores data there', async () => {
  const first = createPostgresStorage({ dataDir });
  await expect(first.check()).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
  await first.opened?.();
  expect(await first.approvals.consume('once', 9e15)).toBe(true);
  await expect(first.check()).resolves.toBeUndefined();
  expect(() => createPostgresStorage({ dataDir })).toThrow(ConfigurationError);
  await first.close();

  const second = createPostgresStorage({ dataDir });
  expect(await second.approvals.consume('once', 9e15)).toBe(false);
  await second.close();
});

it('has all acknowledged writes after its process was killed, and rejects other processes before that', async () => {
  await copyEmbeddedTemplate(dataDir);
  const [child, acknowledged] = await workload('first', 20);
  expect(() => createPostgresStorage({ dataDir })).toThrow(`is in use by process ${child.pid}`);
  child.kill('SIGKILL');
  await once(child, 'exit');

  const storage = createPostgresStorage({ dataDir });
  for (const { conversation, execution } of acknowledged) {
    const { id } = execution;
    expect([id, (await storage.executions.find('anyone', id))?.status]).toEqual([id, 'completed']);
    expect((await storage.executions.journal('anyone', id)).length).toBe(3);
    expect(await storedConversation(storage, conversation)).toEqual(conversation);
  }
  await storage.close();
});

it('continues the claims of the process before at once, and keeps its own leases', async () => {
  await copyEmbeddedTemplate(dataDir);
  const values = { workflowId: 'w', workflowName: 'W', input: null, context: {}, workflowState: {}, metadata: {} };
  const leaseMs = 3_600_000;
  const claimed = async (storage: Storage, runner: string) => {
    const next = await storage.executions.claimNext({ runner, leaseMs }, { definitions: { w: 'w' }, limit: 9 });
    return next.claimed.map(({ execution: { epoch, id } }) => [id, epoch]);
  };
  const first = createPostgresStorage({ dataDir });
  await first.executions.create({ id: 'run', ...values, events: [] }, { requestId: 'r' });
  expect(await claimed(first, 'one')).toEqual([['run', 1]]);
  expect(await claimed(first, 'two')).toEqual([]);
  await first.close();

  const second = createPostgresStorage({ dataDir });
  expect(await claimed(second, 'three')).toEqual([['run', 2]]);
  expect(await claimed(second, 'four')).toEqual([]);
  await second.close();
});

it('opens a database with fsync, and without it again', async () => {
  await copyEmbeddedTemplate(dataDir);
  const synced = createPostgresStorage({ dataDir, fsync: true });
  await synced.opened?.();
  expect(await synced.approvals.consume('once', 9e15)).toBe(true);
  await synced.close();
  const storage = createPostgresStorage({ dataDir });
  expect(await storage.approvals.consume('once', 9e15)).toBe(false);
  await storage.close();
});

it('is restored from a copy of its directory that was made while it was closed', async () => {
  await copyEmbeddedTemplate(dataDir);
  const backup = `${dataDir}-backup`;
  const consumed = async (...ids: readonly string[]): Promise<readonly boolean[]> => {
    const storage = createPostgresStorage({ dataDir });
    const fresh: boolean[] = [];
    for (const id of ids) fresh.push(await storage.approvals.consume(id, 9e15));
    await storage.close();
    return fresh;
  };
  try {
    expect(await consumed('before the backup')).toEqual([true]);
    // As docs/operations.md says.
    await promisify(execFile)('cp', ['-a', dataDir, backup]);
    expect(await consumed('after it')).toEqual([true]);
    rmSync(dataDir, { recursive: true });
    renameSync(backup, dataDir);
    expect(await consumed('before the backup', 'after it')).toEqual([false, true]);
  } finally {
    rmSync(backup, { recursive: true, force: true });
  }
});

it('creates the database again when an earlier process ended while creating it', async () => {
  mkdirSync(join(dataDir, 'database'));
  writeFileSync(join(dataDir, 'database/PG_VERSION'), '18');
  const storage = createPostgresStorage({ dataDir });
  await storage.opened?.();
  expect(await storage.approvals.consume('once', 9e15)).toBe(true);
  await storage.close();
});

it('says why a damaged database cannot be opened, and lets a program close it', async () => {
  await copyEmbeddedTemplate(dataDir);
  const log = join(dataDir, 'database/pg_wal');
  for (const name of readdirSync(log)) if (/^[0-9A-F]{24}$/.test(name)) rmSync(join(log, name));

  const program = join(dataDir, 'program.mjs');
  const storageFile = new URL('../../postgres-storage.ts', import.meta.url).href;
  writeFileSync(
    program,
    `import { createPostgresStorage } from ${JSON.stringify(storageFile)};
    const storage = createPostgresStorage({ dataDir: ${JSON.stringify(dataDir)} });
    await storage.opened().catch(({ message }) => console.log(message));
    await storage.close();
    console.log('closed');`,
  );
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=@halyard/source', program]);
  expect(stdout.trim().split('\n')).toEqual([expect.stringContaining('cannot be opened'), 'closed']);
});

interface Written {
  readonly execution: Acknowledged;
  readonly conversation: AcknowledgedConversation;
}

/**
 * Starts a process that writes. @returns the process, and its acknowledged writes once there are
 * `count` of them.
 */
async function workload(name: string, count: number): Promise<readonly [ChildProcess, readonly Written[]]> {
  const script = join(import.meta.dirname, '../../testing/embedded-process.ts');
  const child = spawn(process.execPath, ['--conditions=@halyard/source', script, dataDir, name], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const acknowledged: Written[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged.push(JSON.parse(line) as Written);
    if (acknowledged.length >= count) break;
  }
  return [child, acknowledged];
}
