import { ConfigurationError } from '@halyard/contracts';
import { schema as firstRelease } from '../schema/schema.ts';
import type { Migration, MigrationSet } from './migration.ts';

/** The migrations of the storage. */
export const storageMigrations: MigrationSet = {
  table: 'migrations',
  migrations: [firstRelease],
  printedBy: 'migrations.sql()',
};

/** The migrations of a set with a number greater than `after`, as one script. */
export function migrationScript(set: MigrationSet, { after, schema }: { after: number; schema: string }): string {
  const pending = set.migrations.filter(({ number }) => number > after);
  return [schemaSql(set, schema), ...pending.map((one) => migrationSql(set, one, schema))].join('\n\n');
}

/** Creates the schema, and the table that records which migrations were run, unless they exist. */
export function schemaSql({ table }: MigrationSet, schema: string): string {
  const quoted = quotedSchema(schema);
  // \`create schema if not exists\` needs a right on the database even if the schema exists.
  return `do $$ begin if to_regnamespace('${quoted}') is null then create schema ${quoted}; end if; end $$;
create table if not exists ${quoted}.${table} (number integer primary key, name text not null, run_at timestamptz not null default now());`;
}

/** A migration, and the statement that records it. */
export function migrationSql({ table }: MigrationSet, { name, number, sql }: Migration, schema: string): string {
  const quoted = quotedSchema(schema);
  return `${sql(quoted).trim()}\ninsert into ${quoted}.${table} (number, name) values (${number}, '${name}');`;
}

/**
 * The name of a schema, quoted for SQL. @throws ConfigurationError unless it is a plain identifier.
 */
export function quotedSchema(schema: string): string {
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema) || schema.startsWith('pg_'))
    throw new ConfigurationError(
      `"${schema}" is not a valid schema name: use up to 63 lower-case letters, digits and underscores, and no "pg_" at the start`,
    );
  return `"${schema}"`;
}
