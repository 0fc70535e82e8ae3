import type { Backlog, Job } from '@halyard/contracts';
import type { Database } from '../../connection/database.ts';
import { fromText, toText } from '../../connection/text-codec.ts';
import { toDefinitions } from '../rows/sql-arguments.ts';

interface BacklogRow {
  readonly count: number;
  readonly oldest_due_ms: string | number;
}

interface ElsewhereRow {
  readonly id: string;
  readonly workflow_id: string;
}

export async function readBacklog(database: Database, definitions: readonly string[], limit: number): Promise<Backlog> {
  const names = toDefinitions(Object.fromEntries(definitions.map((name) => [name, ''])));
  const [row] = await database.call<BacklogRow>('backlog', [JSON.stringify(names), limit, database.shiftMs]);
  return { count: row?.count ?? 0, oldestDueMs: Number(row?.oldest_due_ms ?? 0) };
}

/**
 * The executions of these workflows that need a runner now and have other definitions, those due
 * longest first.
 */
export async function dueElsewhere(
  database: Database,
  workflowIds: readonly string[],
  definitions: readonly string[],
  limit: number,
): Promise<readonly Job[]> {
  if (workflowIds.length === 0) return [];
  const lists = [workflowIds, definitions].map((ids) => JSON.stringify(ids.map(toText)));
  const rows = await database.call<ElsewhereRow>('due_elsewhere', [...lists, limit, database.shiftMs]);
  return rows.map(({ id, workflow_id }) => ({ executionId: fromText(id), workflowId: fromText(workflow_id) }));
}
