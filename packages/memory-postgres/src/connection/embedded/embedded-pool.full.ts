import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PostgresQueryResult } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { copyEmbeddedTemplate } from '../../testing/embedded-template.ts';
import { EmbeddedPool } from './embedded-pool.ts';

let directory: string;
let pool: EmbeddedPool;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'halyard-pool-'));
  await copyEmbeddedTemplate(directory);
  pool = new EmbeddedPool({ dataDir: join(directory, 'database'), fsync: false });
});
afterEach(async () => {
  await pool.end();
  rmSync(directory, { recursive: true, force: true });
});

async function query(text: string): Promise<PostgresQueryResult<unknown>> {
  const client = await pool.connect();
  try {
    return await client.query(text, []);
  } finally {
    client.release();
  }
}

it('recovers committed data when the database cannot write its log and can write it again', async () => {
  const failures: string[] = [];
  pool.onError(({ message }) => failures.push(message));
  await query('create table notes (n integer)');
  await query('insert into notes values (1)');
  const log = join(directory, 'database/pg_wal');
  renameSync(log, `${log}.away`);
  const client = await pool.connect();
  await client.query('begin', []);
  await client.query('insert into notes values (2)', []);
  await client.query('select pg_switch_wal()', []);
  // The next segment of the log cannot be created.
  await expect(client.query('commit', [])).rejects.toMatchObject({ code: '57P02' });
  await expect(client.query('commit', [])).rejects.toMatchObject({ code: '57P02' });
  client.release();
  await expect(query('select 1')).rejects.toMatchObject({ code: '57P02' });
  await expect(pool.probe()).rejects.toMatchObject({ code: '57P02' });

  renameSync(`${log}.away`, log);
  await expect
    .poll(() => query('insert into notes values (3)').then(() => 'done', String), { timeout: 120_000 })
    .toBe('done');
  expect((await query('select n from notes order by n')).rows).toEqual([{ n: 1 }, { n: 3 }]);
  expect(failures[0]).toContain('pg_wal');
});

it('ends a statement that is in the way of others for too long', async () => {
  await query('create table notes (n integer)');
  await expect(pool.probe()).resolves.toBeUndefined();
  const client = await pool.connect();
  const endless = client.query('do $$ begin loop end loop; end $$', []);
  const waiting = query('insert into notes values (1)');
  await expect(pool.probe(100)).rejects.toThrow('does not respond');
  pool.closeConnections();
  await expect(endless).rejects.toMatchObject({ code: '57P02' });
  client.release();
  await waiting;
  expect((await query('select n from notes')).rows).toEqual([{ n: 1 }]);
});
