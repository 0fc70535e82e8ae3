import type { Owner } from '@halyard/contracts';
import { type RawBuilder, sql, type SqlBool } from 'kysely';
import { toText } from './text-codec.ts';

/** The condition that `executions as e`, or `conversations as c`, is of this owner. */
export function ofOwner(owner: Owner, alias: 'e' | 'c' = 'e'): RawBuilder<SqlBool> {
  return owner === 'anyone' ? sql<SqlBool>`true` : sql<SqlBool>`${sql.ref(`${alias}.user_id`)} = ${toText(owner.user)}`;
}

/** An owner as a value of a statement; null: anyone. */
export function ownerValue(owner: Owner): string | null {
  return owner === 'anyone' ? null : toText(owner.user);
}
