import { quotedSchema } from '../connection/schema-name.ts';
import { conversations } from './conversations.ts';
import { executions } from './executions.ts';
import type { Migration, MigrationSet } from './migration.ts';
import { streams } from './streams.ts';
import { telemetry } from './telemetry.ts';

/** What the storage needs. */
export const storageMigrations: MigrationSet = {
  table: 'migrations',
  migrations: [executions, conversations, telemetry, streams],
  printedBy: 'migrations.sql()',
};

/** Creates what notes the migrations that were run, where it is not there. */
export function createSchema({ table }: MigrationSet, schema: string): string {
  const quoted = quotedSchema(schema);
  return `create schema if not exists ${quoted};
create table if not exists ${quoted}.${table} (number integer primary key, name text not null, run_at timestamptz not null default now());`;
}

/** A migration, and the note that it was run. */
export function migrationSql({ table }: MigrationSet, { name, number, sql }: Migration, schema: string): string {
  const quoted = quotedSchema(schema);
  return `${sql(quoted).trim()}\ninsert into ${quoted}.${table} (number, name) values (${number}, '${name}');`;
}

/** All migrations of a set that come after that number, as one script. */
export function migrationScript(set: MigrationSet, { after, schema }: { after: number; schema: string }): string {
  const left = set.migrations.filter(({ number }) => number > after);
  return [createSchema(set, schema), ...left.map((one) => migrationSql(set, one, schema))].join('\n\n');
}

/** For those whose server may not change the schema: what `autoMigrate` would run. */
export const migrations: {
  /**
   * All migrations as one script: for `psql --single-transaction`, or a migration of the app's own.
   *
   * @param options `after`: the number of the last one that was run; `select max(number) from halyard.migrations` tells.
   */
  readonly sql: (options?: { readonly schema?: string; readonly after?: number }) => string;
} = {
  sql: ({ after = 0, schema = 'halyard' } = {}) => migrationScript(storageMigrations, { after, schema }),
};
