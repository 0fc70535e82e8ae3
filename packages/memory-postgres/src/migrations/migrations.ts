import { quotedSchema } from '../schema-name.ts';
import { executions } from './executions.ts';
import type { Migration } from './migration.ts';

/** Oldest first. */
export const allMigrations: readonly Migration[] = [executions];

/** Creates what notes the migrations that were run, where it is not there. */
export function createSchema(schema: string): string {
  const quoted = quotedSchema(schema);
  return `create schema if not exists ${quoted};
create table if not exists ${quoted}.migrations (number integer primary key, name text not null, run_at timestamptz not null default now());`;
}

/** A migration, and the note that it was run. */
export function migrationSql({ name, number, sql }: Migration, schema: string): string {
  const quoted = quotedSchema(schema);
  return `${sql(quoted).trim()}\ninsert into ${quoted}.migrations (number, name) values (${number}, '${name}');`;
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
  sql: ({ after = 0, schema = 'halyard' } = {}) =>
    [
      createSchema(schema),
      ...allMigrations.filter(({ number }) => number > after).map((one) => migrationSql(one, schema)),
    ].join('\n\n'),
};
