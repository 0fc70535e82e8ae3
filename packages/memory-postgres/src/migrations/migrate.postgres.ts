import { silentLogger } from '@halyard/contracts';
import type { PostgresPool } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrationStatus, runMigrations } from '../migrate-database.ts';
import { createPostgresStorage, createOpener } from '../postgres-storage.ts';
import { migrations } from '../storage-migrations.ts';
import { type ServerDatabase, createServerDatabase } from '../testing/server-database.ts';
import { migrate } from './migrate.ts';
import type { MigrationSet } from './migration.ts';
import { storageMigrations } from './migrations.ts';

/** The migrations of a later version: those of this one, and another. */
const next = storageMigrations.migrations.length + 1;
function withNext(statements: (schema: string) => string): MigrationSet {
  const one = { number: next, name: 'of_a_later_version', sql: statements };
  return { ...storageMigrations, migrations: [...storageMigrations.migrations, one] };
}

describe('migrations on a PostgreSQL server', () => {
  let server: ServerDatabase;
  beforeAll(async () => {
    server = await createServerDatabase();
  });
  afterAll(() => server.remove());

  const withPool = async (work: (pool: PostgresPool) => Promise<void>): Promise<void> => {
    const { connectionString } = server;
    const opened = await createOpener({ connectionString, maxConnections: 1, logger: silentLogger }).open(
      new AbortController().signal,
    );
    const stopListening = opened.onError(() => {});
    try {
      await work(opened.pool);
    } finally {
      stopListening();
      await opened.close();
    }
  };
  const run = (set: MigrationSet, schema: string): Promise<void> =>
    withPool((pool) => migrate(pool, set, { schema, autoMigrate: true }));
  const numbersOf = async (schema: string): Promise<readonly unknown[]> => {
    const rows = await server.query(`select number from ${schema}.migrations order by number`);
    return rows.map((row) => Reflect.get(row, 'number'));
  };
  const all = Array.from({ length: next }, (_, index) => index + 1);

  it('run once when twenty processes of a later version start at the same time, and keep the data', async () => {
    await server.query(
      `${migrations.sql({ schema: 'earlier' })}; insert into earlier.approvals values ('used', 9000000000000000)`,
    );
    const later = withNext((schema) => `create table ${schema}.inventions (id text primary key);`);
    await Promise.all(Array.from({ length: 20 }, () => run(later, 'earlier')));
    expect(await numbersOf('earlier')).toEqual(all);
    expect(await server.query('select id from earlier.approvals')).toEqual([{ id: 'used' }]);
  });

  it.each([
    ['fails', 'select 1 / 0;', 'division by zero'],
    ['loses its connection', 'select pg_terminate_backend(pg_backend_pid());', /terminat/],
  ])('leave nothing behind when one %s after its changes, and run later', async (what, statement, message) => {
    const schema = `stopped_${what.replaceAll(' ', '_')}`;
    const changes = (quoted: string): string => `create table ${quoted}.inventions (id text primary key);`;
    await expect(
      run(
        withNext((quoted) => `${changes(quoted)} ${statement}`),
        schema,
      ),
    ).rejects.toThrow(message);
    expect(await server.query(`select 1 from pg_namespace where nspname = '${schema}'`)).toEqual([]);
    await run(withNext(changes), schema);
    expect(await numbersOf(schema)).toEqual(all);
  });

  it('are refused in a schema that has others', async () => {
    const message = 'Migration 1 of the schema "of_others" is "executions" and not "first-release"';
    const { connectionString } = server;
    const place = { connectionString, schema: 'of_others' };
    await server.query(
      `${migrations.sql({ schema: 'of_others' })}; update of_others.migrations set name = 'executions'`,
    );
    const storage = createPostgresStorage({ ...place, logger: silentLogger });
    await expect(storage.opened?.()).rejects.toThrow(message);
    await storage.close();
    await expect(migrationStatus(place, storageMigrations)).rejects.toThrow(message);
    await expect(runMigrations(place, storageMigrations)).rejects.toThrow(message);
    expect(await numbersOf('of_others')).toEqual([1]);
  });
});
