import type { Owner } from '@halyard/contracts';
import { type RawBuilder, sql, type SqlBool } from 'kysely';
import { toText } from './text-codec.ts';

/** The condition that `executions as e` is of this owner. */
export function ofOwner(owner: Owner): RawBuilder<SqlBool> {
  return owner === 'anyone' ? sql<SqlBool>`true` : sql<SqlBool>`e.user_id = ${toText(owner.user)}`;
}
