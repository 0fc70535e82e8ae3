import { type Database, fromText, sql } from '@halyard/memory-postgres/database';
import { type BossTables, deadQueue } from './open-boss.ts';

/** A job or a schedule tick that failed too often. Its execution, if there is one, is still in the execution store. */
export interface DeadLetter {
  readonly id: string;
  readonly workflowId: string;
  /** Absent for a schedule tick. */
  readonly executionId?: string;
  /** The name of the schedule, for a schedule tick. */
  readonly schedule?: string;
  /** How often it was attempted. */
  readonly attempts: number;
  /** The last error, for operators: it may contain messages of database drivers. */
  readonly reason: string;
  /** When it was enqueued, in milliseconds since the epoch. */
  readonly createdAt: number;
  /** When its last attempt failed, in milliseconds since the epoch. */
  readonly failedAt: number;
}

/** The newest first. A query of the table, because the API of pg-boss reads all of them. */
export async function readDeadLetters(database: Database<BossTables>, limit: number): Promise<readonly DeadLetter[]> {
  return database.read(async (db) => {
    const table = await sql<{
      readonly name: unknown;
    }>`select to_regclass(${`${database.schema}.job`})::text as name`.execute(db);
    // Before pg-boss has created its tables, there are no dead letters.
    if (table.rows[0]?.name === null) return [];
    const rows = await db
      .selectFrom('job')
      .select([
        'id',
        'data',
        'source_output as output',
        sql<number>`coalesce(source_retry_count, 0) + 1`.as('attempts'),
        sql<number>`(extract(epoch from coalesce(source_created_on, created_on)) * 1000)::float8`.as('created_at'),
        sql<number>`(extract(epoch from created_on) * 1000)::float8`.as('failed_at'),
      ])
      .where('name', '=', deadQueue)
      .orderBy('created_on', 'desc')
      .orderBy('id')
      .limit(limit)
      .execute();
    return rows.map(({ attempts, created_at, data, failed_at, id, output }) => ({
      id,
      workflowId: data.workflowId,
      ...(data.executionId !== undefined && { executionId: fromText(data.executionId) }),
      ...(data.schedule !== undefined && { schedule: data.schedule }),
      attempts,
      reason: output?.message ?? output?.value?.message ?? 'the job was not completed in time',
      createdAt: Math.floor(created_at),
      failedAt: Math.floor(failed_at),
    }));
  });
}
