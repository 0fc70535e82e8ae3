import type { DueExecution, OverdueExecution } from '@halyard/contracts';
import { sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { databaseTime } from '../connection/sql-fragments.ts';
import { fromText, toText } from '../connection/text-codec.ts';

/** A row that the SQL functions `due_executions`, `due_in_turns` and `admit_executions` return. */
export interface DueRow {
  readonly id: string;
  readonly workflow_id: string;
  readonly priority: number;
  readonly claims_without_commit: number;
  /** Added by {@link withUsers}. */
  readonly user_id: string | null;
}

interface DueAt {
  readonly due_at: string | number;
}

/** The executions with these definitions that need a runner now: the highest priority first, then those due longest. With a runner: its share. Users take turns when more are due. */
export async function dueExecutions(
  database: Database,
  definitions: readonly string[],
  limit: number,
  runner: string | undefined,
): Promise<readonly OverdueExecution[]> {
  if (definitions.length === 0) return [];
  const read = (name: string): Promise<readonly (Omit<DueRow, 'user_id'> & DueAt)[]> =>
    database.call(name, [
      JSON.stringify(definitions.map(toText)),
      limit,
      runner === undefined ? null : toText(runner),
      database.shiftMs,
    ]);
  const oldest = await read('due_executions');
  // Those of one user may have taken all places.
  const due = await withUsers(database, oldest.length < limit ? oldest : await read('due_in_turns'));
  return due.map((row) => ({ ...toDueExecution(row), dueAt: Number(row.due_at) }));
}

/** Adds the users of executions to what an SQL function returned. */
export async function withUsers<Row extends Pick<DueRow, 'id'>>(
  database: Database,
  rows: readonly Row[],
): Promise<readonly (Row & Pick<DueRow, 'user_id'>)[]> {
  if (rows.length === 0) return [];
  const users = await database.read((db) =>
    db
      .selectFrom('executions')
      .select(['id', 'user_id'])
      .where('id', '=', sql<string>`any(${rows.map(({ id }) => id)}::text[])`)
      .where('user_id', 'is not', null)
      .execute(),
  );
  const userOf = new Map(users.map(({ id, user_id }) => [id, user_id]));
  return rows.map((row) => ({ ...row, user_id: userOf.get(row.id) ?? null }));
}

export function toDueExecution({
  claims_without_commit: claimsWithoutCommit,
  id,
  priority,
  user_id,
  workflow_id,
}: DueRow): DueExecution {
  return {
    executionId: fromText(id),
    workflowId: fromText(workflow_id),
    priority,
    claimsWithoutCommit,
    userId: user_id === null ? null : fromText(user_id),
  };
}

/** The executions of these workflows that need a runner now and have other definitions, those due longest first. */
export async function dueElsewhere(
  database: Database,
  workflowIds: readonly string[],
  definitions: readonly string[],
  limit: number,
): Promise<readonly Pick<DueExecution, 'executionId' | 'workflowId'>[]> {
  if (workflowIds.length === 0) return [];
  const lists = [workflowIds, definitions].map((ids) => JSON.stringify(ids.map(toText)));
  const rows = await database.call<Pick<DueRow, 'id' | 'workflow_id'>>('due_elsewhere', [
    ...lists,
    limit,
    database.shiftMs,
  ]);
  return rows.map(({ id, workflow_id }) => ({ executionId: fromText(id), workflowId: fromText(workflow_id) }));
}

/** Milliseconds until the next execution with one of these definitions and without a runner is due. Undefined when there is none. */
export async function nextDue(database: Database, definitions: readonly string[]): Promise<number | undefined> {
  const row = await database.read((db) =>
    db
      .selectFrom(sql<{ id: string }>`unnest(${definitions.map(toText)}::text[])`.as<'w'>(sql`w(id)`))
      .innerJoinLateral(
        (eb) =>
          eb
            .selectFrom('executions as e')
            .select('e.wants_runner_at')
            .whereRef('e.definition', '=', 'w.id')
            .where('e.runner', 'is', null)
            .where('e.wants_runner_at', 'is not', null)
            .orderBy('e.wants_runner_at')
            .limit(1)
            .as('next'),
        (join) => join.onTrue(),
      )
      .select(
        sql<string | number | null>`min(greatest(0, next.wants_runner_at - ${databaseTime(database)}))`.as('due_in_ms'),
      )
      .executeTakeFirst(),
  );
  const dueInMs = row?.due_in_ms ?? null;
  return dueInMs === null ? undefined : Number(dueInMs);
}
