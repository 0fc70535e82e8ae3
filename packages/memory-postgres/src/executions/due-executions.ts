import type { DueExecution, Job } from '@halyard/contracts';
import { sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { databaseTime, isOneOf } from '../connection/sql-fragments.ts';
import { fromText, toText } from '../connection/text-codec.ts';

/** A row that the SQL function `due_executions` returns. */
export interface DueRow {
  readonly id: string;
  readonly workflow_id: string;
  readonly priority: number;
  readonly claims_without_commit: number;
}

/** The executions with these definitions that need a runner now: the highest priority first, then those due longest. */
export async function dueExecutions(
  database: Database,
  definitions: readonly string[],
  limit: number,
): Promise<readonly DueExecution[]> {
  if (definitions.length === 0) return [];
  const parameters = [JSON.stringify(definitions.map(toText)), limit, database.shiftMs];
  return (await database.call<DueRow>('due_executions', parameters)).map(toDueExecution);
}

export function toDueExecution({
  claims_without_commit: claimsWithoutCommit,
  id,
  priority,
  workflow_id,
}: DueRow): DueExecution {
  return { executionId: fromText(id), workflowId: fromText(workflow_id), priority, claimsWithoutCommit };
}

/** The executions of these workflows that need a runner now and have other definitions, the longest due first. */
export async function dueElsewhere(
  database: Database,
  workflowIds: readonly string[],
  definitions: readonly string[],
  limit: number,
): Promise<readonly Job[]> {
  const rows = await database.read((db) =>
    db
      .selectFrom('executions as e')
      .select(['e.id', 'e.workflow_id'])
      .where(isOneOf('e.workflow_id', workflowIds.map(toText)))
      .where('e.wants_runner_at', '<=', databaseTime(database))
      .where((eb) => eb.not(isOneOf('e.definition', definitions.map(toText))))
      .orderBy('e.wants_runner_at')
      .orderBy('e.key')
      .limit(limit)
      .execute(),
  );
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
