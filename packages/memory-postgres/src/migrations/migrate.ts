import { ConfigurationError } from '@halyard/contracts';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type { MigrationSet } from './migration.ts';
import { migrationSql, quotedSchema, schemaSql } from './migrations.ts';

/** First key of the advisory lock that a process takes while it migrates. The second key is a hash of the schema's name. */
const lockClass = 0x48_41_4c;

/** How long a migration waits for a table that another transaction has locked. */
const lockTimeoutMs = 1_000;

/**
 * Runs the migrations that a schema lacks. Any number of processes may do so at the same time. A schema with further migrations, of a later version, is left as it is.
 *
 * @throws ConfigurationError when the schema lacks migrations and `autoMigrate` is false.
 */
export async function migrate(
  pool: PostgresPool,
  set: MigrationSet,
  { autoMigrate, schema }: { readonly schema: string; readonly autoMigrate: boolean },
): Promise<void> {
  const client = await pool.connect();
  let failure: unknown;
  try {
    if ((await lastMigration(client, set, schema)) >= set.migrations.length) return;
    if (!autoMigrate)
      throw new ConfigurationError(
        `The schema ${quotedSchema(schema)} is not up to date: run the output of ${set.printedBy}, or remove "autoMigrate: false"`,
      );
    await client.query('begin', []);
    await client.query('set local lock_timeout = 0; set local statement_timeout = 0', []);
    await client.query(`select pg_advisory_xact_lock(${lockClass}, hashtext($1))`, [schema]);
    // All queries of a table wait behind a migration that waits for it. The next attempt follows.
    await client.query(`set local lock_timeout = ${lockTimeoutMs}`, []);
    await client.query(schemaSql(set, schema), []);
    // Another process may have migrated before this one got the lock.
    const last = await lastMigration(client, set, schema);
    for (const migration of set.migrations) {
      if (migration.number > last) await client.query(migrationSql(set, migration, schema), []);
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

/** The number of the last migration that was run. 0: none. */
async function lastMigration(client: PostgresPoolClient, { table }: MigrationSet, schema: string): Promise<number> {
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
