import { type RawBuilder, sql } from 'kysely';
import type { Database } from './database.ts';

/** Now, by the database's clock: asked once for a statement, so that conditions on it use an index. */
export function databaseTime({ shiftMs }: Database): RawBuilder<number> {
  return sql<number>`(select floor(extract(epoch from clock_timestamp()) * 1000)::bigint + ${shiftMs}::bigint)`;
}
