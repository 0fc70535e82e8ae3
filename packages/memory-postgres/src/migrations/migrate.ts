import { ConfigurationError } from '@halyard/contracts';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import { quotedSchema } from '../connection/schema-name.ts';
import type { MigrationSet } from './migration.ts';
import { createSchema, migrationSql } from './migrations.ts';

/** Names the lock that one process holds while it changes a schema; the second number is made of the schema's name. */
const lockClass = 0x48_41_4c;

/** Brings a schema up to date. Any number of processes may do so at once. @throws ConfigurationError when it is not, and may not be changed. */
export async function migrate(
  pool: PostgresPool,
  set: MigrationSet,
  { autoMigrate, schema }: { readonly schema: string; readonly autoMigrate: boolean },
): Promise<void> {
  const client = await pool.connect();
  let failure: unknown;
  try {
    if ((await lastRun(client, set, schema)) >= set.migrations.length) return;
    if (!autoMigrate)
      throw new ConfigurationError(
        `The schema ${quotedSchema(schema)} is not up to date: run what ${set.printedBy} prints, or leave out "autoMigrate: false"`,
      );
    await client.query('begin', []);
    await client.query('set local lock_timeout = 0; set local statement_timeout = 0', []);
    await client.query(`select pg_advisory_xact_lock(${lockClass}, hashtext($1))`, [schema]);
    await client.query(createSchema(set, schema), []);
    const after = await lastRun(client, set, schema);
    for (const migration of set.migrations) {
      if (migration.number > after) await client.query(migrationSql(set, migration, schema), []);
    }
    await client.query('commit', []);
  } catch (error) {
    failure = error;
    await client.query('rollback', []).catch(() => {});
    throw error;
  } finally {
    client.release(failure === undefined ? undefined : true);
  }
}

async function lastRun(client: PostgresPoolClient, { table }: MigrationSet, schema: string): Promise<number> {
  const quoted = quotedSchema(schema);
  const { rows: tables } = await client.query<{ found: unknown }>('select to_regclass($1)::text as found', [
    `${quoted}.${table}`,
  ]);
  if (tables[0]?.found === null) return 0;
  const { rows } = await client.query<{ last: number | null }>(
    `select max(number) as last from ${quoted}.${table}`,
    [],
  );
  return rows[0]?.last ?? 0;
}
