import { ConfigurationError, type Storage } from '@halyard/contracts';
import { type RawBuilder, sql } from 'kysely';
import { databaseTime } from './connection/sql-fragments.ts';
import { findDatabase } from './postgres-storage.ts';

/** How many records there are, by age. */
export interface StoredByAge {
  /** Root executions that have ended, since they ended. */
  readonly executions: readonly number[];
  /** Spans, since the end of their day (UTC): days are deleted as a whole. */
  readonly spans: readonly number[];
  /** Lines of the log, likewise. */
  readonly logs: readonly number[];
  /** Since their last change. */
  readonly conversations: readonly number[];
}

const dayMs = 86_400_000;

/**
 * Counts the records of a storage. Reads whole tables, which takes seconds for millions of rows.
 *
 * @param ages milliseconds, ascending. The first count is of records younger than the first age,
 * the second of those between the first and the second age, and so on.
 * @throws UnavailableError (`STORAGE_UNAVAILABLE`) when the database cannot be reached.
 */
export async function storedByAge(storage: Storage, ages: readonly number[]): Promise<StoredByAge> {
  const database = findDatabase(storage);
  if (database === undefined)
    throw new ConfigurationError('"storage" must be the object that createPostgresStorage returned');
  const now = databaseTime(database);
  const count = async (table: string, time: RawBuilder<unknown>, condition: RawBuilder<unknown> = sql`true`) => {
    const { rows } = await database.read((db) =>
      sql<{ group: number; count: string | number }>`
        select width_bucket(${now} - ${time}, ${ages}::double precision[]) as "group", count(*) as count
        from ${sql.raw(`${database.schema}.${table}`)} where ${condition} group by 1`.execute(db),
    );
    const counts = new Map(rows.map((row) => [row.group, Number(row.count)]));
    return [0, ...ages].map((_, group) => counts.get(group) ?? 0);
  };
  const endOfDay = sql`(floor(time / ${sql.lit(dayMs)}) + 1) * ${sql.lit(dayMs)}`;
  return {
    executions: await count(
      'executions',
      sql`ended_at::double precision`,
      sql`parent_id is null and ended_at is not null`,
    ),
    spans: await count('spans', endOfDay),
    logs: await count('logs', endOfDay),
    conversations: await count('conversations', sql`updated_at::double precision`),
  };
}
