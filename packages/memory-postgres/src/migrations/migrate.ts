import { ConfigurationError } from '@halyard/contracts';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type { AppliedMigration, MigrationSet } from './migration.ts';
import { migrationSql, quotedSchema, schemaSql } from './migrations.ts';

/**
 * First key of the advisory lock that a process takes while it migrates. The second key is a hash
 * of the schema's name.
 */
const lockClass = 0x48_41_4c;

/** How long a migration waits for a table that another transaction has locked. */
const lockTimeoutMs = 1_000;

/**
 * Runs the migrations that a schema lacks. Any number of processes may do so at the same time. A
 * schema with further migrations, of a later version, is left as it is.
 *
 * @throws ConfigurationError when the schema lacks migrations and `autoMigrate` is false, or has
 * others than those of the set.
 */
export async function migrate(
  pool: PostgresPool,
  set: MigrationSet,
  { autoMigrate, schema }: { readonly schema: string; readonly autoMigrate: boolean },
): Promise<void> {
  const client = await pool.connect();
  let failure: unknown;
  try {
    if (findLastNumber(await appliedMigrations(client, set, schema)) >= set.migrations.length) return;
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
    const last = findLastNumber(await appliedMigrations(client, set, schema));
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

/**
 * The migrations that were run, oldest first; also those of a later version.
 *
 * @throws ConfigurationError when one has another name than that of the set with its number: the
 * schema belongs to something else, or to a version that was never released.
 */
export async function appliedMigrations(
  client: PostgresPoolClient,
  { migrations, table }: MigrationSet,
  schema: string,
): Promise<readonly AppliedMigration[]> {
  const quoted = quotedSchema(schema);
  const { rows: tables } = await client.query<{ found: unknown }>('select to_regclass($1)::text as found', [
    `${quoted}.${table}`,
  ]);
  if (tables[0]?.found === null) return [];
  const { rows } = await client.query<{ number: number; name: string; run_at_ms: number }>(
    `select number, name, (extract(epoch from run_at) * 1000)::double precision as run_at_ms from ${quoted}.${table} order by number`,
    [],
  );
  for (const { name, number } of rows) {
    const known = migrations[number - 1]?.name ?? name;
    if (known !== name)
      throw new ConfigurationError(
        `Migration ${number} of the schema ${quoted} is "${name}" and not "${known}": no released version has created these tables. Set the option \`schema\` to another name, or delete the schema with everything in it`,
      );
  }
  return rows.map(({ name, number, run_at_ms }) => ({ number, name, runAt: new Date(run_at_ms) }));
}

/** The number of the last migration that was run. 0: none. */
export function findLastNumber(applied: readonly AppliedMigration[]): number {
  return applied.at(-1)?.number ?? 0;
}
