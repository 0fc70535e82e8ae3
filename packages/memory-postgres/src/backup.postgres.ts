import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { silentLogger, type Storage } from '@halyard/contracts';
import { createWorkflow, WorkflowRuntime } from '@halyard/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPostgresStorage } from './postgres-storage.ts';
import { sampleMessage } from './testing/conversation-workload.ts';
import { type PostgresServer, startPostgresServer } from './testing/postgres-server.ts';

const exec = promisify(execFile);
const anything = { type: 'object' } as const;
const conversation = { id: 'c-1', resourceId: 'a', userId: 'ada', title: 'Ducks', metadata: {} };

/** The steps of docs/operations.md. */
describe('a backup of a PostgreSQL server', () => {
  let server: PostgresServer;
  const directory = mkdtempSync(join(tmpdir(), 'halyard-backup-'));
  const file = join(directory, 'halyard.dump');
  const closing: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    server = await startPostgresServer({ fsync: false });
  });
  afterAll(async () => {
    for (const close of closing) await close();
    await server.remove();
    rmSync(directory, { recursive: true });
  });

  it('restores conversations, and executions that continue where they were', async () => {
    const { connectionString } = server;
    const original = start(connectionString);
    await original.storage.conversations.save('anyone', {
      conversationId: 'c-1',
      create: conversation,
      messages: [sampleMessage('m-1', 'user')],
    });
    const run = await original.runtime.execute('order', { total: 7 }, {});
    expect(run.status).toBe('suspended');

    const bin = (await exec('pg_config', ['--bindir'])).stdout.trim();
    await exec(join(bin, 'pg_dump'), ['--format=custom', '--schema=halyard', `--file=${file}`, connectionString]);
    await server.query('create database restored');
    const restored = connectionString.replace(/postgres$/, 'restored');
    await exec(join(bin, 'pg_restore'), ['--no-owner', '--exit-on-error', `--dbname=${restored}`, file]);

    // The backup does not contain later changes.
    await original.storage.conversations.delete('anyone', 'c-1');
    const { runtime, storage } = start(restored);
    expect((await storage.conversations.messages('anyone', 'c-1', { limit: 5 }))?.messages.length).toBe(1);
    const key = { owner: 'anyone', workflowId: 'order', executionId: run.executionId } as const;
    await runtime.resume(key, { resumeData: { by: 'ada' } });
    await expect
      .poll(async () => (await runtime.get(key)).output, { timeout: 120_000 })
      .toEqual({ data: { total: 7 }, approval: { by: 'ada' } });
  });

  function start(connectionString: string): { readonly storage: Storage; readonly runtime: WorkflowRuntime } {
    const workflow = createWorkflow({
      id: 'order',
      name: 'Order',
      purpose: 'Takes an order',
      input: anything,
      result: anything,
    }).andThen({
      id: 'approve',
      execute: async ({ data, resumeData, suspend }) =>
        resumeData === undefined ? suspend('needs approval') : { data, approval: resumeData },
    });
    const storage = createPostgresStorage({ connectionString, logger: silentLogger });
    const runtime = new WorkflowRuntime({ workflows: [workflow], storage, services: { logger: silentLogger } });
    runtime.start();
    closing.push(async () => {
      await runtime.stop(1_000);
      await storage.close();
    });
    return { storage, runtime };
  }
});
