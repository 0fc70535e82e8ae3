import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { storageMigrations } from '../../migrations/migrations.ts';
import { startPostgresServer } from '../postgres-server.ts';

/*
 * Run this before adding a migration: saves data in the current schema, for the upgrade tests.
 * node --conditions=@halyard/source src/testing/releases/dump-release.ts
 */
const last = storageMigrations.migrations.at(-1);
const file = join(import.meta.dirname, 'schemas', `${last?.number}-${last?.name}.sql`);
const server = await startPostgresServer();
try {
  const { connectionString } = server;
  const fill = join(import.meta.dirname, 'fill-release.ts');
  spawnSync(process.execPath, ['--conditions=@halyard/source', fill, connectionString], { stdio: 'inherit' });
  const options = ['--data-only', '--inserts', '--load-via-partition-root', '--schema=halyard', '--no-owner'];
  const dump = execFileSync('pg_dump', [...options, '--exclude-table=halyard.migrations', connectionString], {
    encoding: 'utf8',
  });
  // Without comments, psql commands and settings.
  const rows = dump.split('\n').filter((line) => /^(?:INSERT|SELECT pg_catalog\.setval)/.test(line));
  writeFileSync(file, `${rows.join('\n')}\n`);
} finally {
  await server.remove();
}
