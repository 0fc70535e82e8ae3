import type { Owner } from '@halyard/contracts';
import { type RawBuilder, sql, type SqlBool } from 'kysely';
import { toText } from './text-codec.ts';

/**
 * The database's time in milliseconds since the epoch. A subquery, so that a comparison with it can
 * use an index.
 */
export function databaseTime({ shiftMs }: { readonly shiftMs: number }): RawBuilder<number> {
  return sql<number>`(select floor(extract(epoch from clock_timestamp()) * 1000)::bigint + ${shiftMs}::bigint)`;
}

/**
 * The condition that a row belongs to the owner. @param column the column of the user's id, such as
 * `e.user_id`.
 */
export function isOwnedBy(owner: Owner, column: string): RawBuilder<SqlBool> {
  return owner === 'anyone' ? sql<SqlBool>`true` : sql<SqlBool>`${sql.ref(column)} = ${toText(owner.user)}`;
}

/** The owner as a parameter of an SQL function. Null: anyone. */
export function ownerParameter(owner: Owner): string | null {
  return owner === 'anyone' ? null : toText(owner.user);
}

/** The condition that a column has one of these texts. */
export function isOneOf(column: string, values: readonly string[]): RawBuilder<SqlBool> {
  return sql<SqlBool>`${sql.ref(column)} = any(${values}::text[])`;
}
