import type { DueExecution, Job } from '@halyard/contracts';
import { sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { databaseTime, isOneOf } from '../connection/sql-fragments.ts';
import { fromText, toText } from '../connection/text-codec.ts';

/** The executions with these definitions that need a runner now, the longest due first. Those of each definition are read in order from the index. */
export async function dueExecutions(
  database: Database,
  definitions: readonly string[],
  limit: number,
): Promise<readonly DueExecution[]> {
  if (definitions.length === 0) return [];
  const rows = await database.read((db) =>
    db
      .selectFrom(sql<{ id: string }>`unnest(${definitions.map(toText)}::text[])`.as<'w'>(sql`w(id)`))
      .innerJoinLateral(
        (eb) =>
          eb
            .selectFrom('executions as e')
            .select(['e.id', 'e.workflow_id', 'e.wants_runner_at', 'e.key', 'e.claims_without_commit'])
            .whereRef('e.definition', '=', 'w.id')
            .where('e.wants_runner_at', '<=', databaseTime(database))
            .orderBy('e.wants_runner_at')
            .orderBy('e.key')
            .limit(limit)
            .as('due'),
        (join) => join.onTrue(),
      )
      .select(['due.id', 'due.workflow_id', 'due.claims_without_commit'])
      .orderBy('due.wants_runner_at')
      .orderBy('due.key')
      .limit(limit)
      .execute(),
  );
  return rows.map(({ claims_without_commit: claimsWithoutCommit, id, workflow_id }) => ({
    executionId: fromText(id),
    workflowId: fromText(workflow_id),
    claimsWithoutCommit,
  }));
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
