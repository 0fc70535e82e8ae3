import type { Execution, ExecutionFilter, Owner } from '@halyard/contracts';
import { type Expression, expressionBuilder, sql, type SqlBool } from 'kysely';
import type { Database } from '../connection/database.ts';
import { isOwnedBy } from '../connection/sql-fragments.ts';
import type { Tables } from '../connection/tables.ts';
import { toText } from '../connection/text-codec.ts';
import { rootWaitsJson, rowJson, toExecution } from './execution-rows.ts';
import { metadataDigests } from './metadata-digests.ts';

/** The greatest time of a Date, in milliseconds. */
const maxTime = 8.64e15;

/** A page of the matching executions, newest first, and their total number. One statement, so that both are consistent. */
export async function listExecutions(
  database: Database,
  owner: Owner,
  filter: ExecutionFilter,
): Promise<{ readonly executions: readonly Execution[]; readonly total: number }> {
  const matches = matching(owner, filter);
  const rows = await database.read((db) =>
    db
      .with('page', (cte) =>
        cte
          .selectFrom('executions as e')
          .select(['e.created_at', 'e.key'])
          .where(matches)
          .orderBy('e.created_at', 'desc')
          .orderBy('e.key', 'desc')
          .limit(filter.limit)
          .offset(filter.offset),
      )
      .selectFrom((eb) =>
        eb
          .selectFrom('executions as e')
          .select(eb.fn.countAll<string | number>().as('total'))
          .where(matches)
          .as('counted'),
      )
      // The total is also needed when the page is empty.
      .leftJoin('page', (join) => join.onTrue())
      // Only the page becomes JSON, not the rows before it.
      .leftJoin('executions as e', 'e.key', 'page.key')
      .leftJoin('executions as r', 'r.key', 'e.root_key')
      .select(['counted.total', 'e.key', rowJson, rootWaitsJson])
      .orderBy('page.created_at', 'desc')
      .orderBy('page.key', 'desc')
      .execute(),
  );
  const executions = rows.flatMap(({ key, root_waits, row }) => (key === null ? [] : toExecution({ row, root_waits })));
  return { executions, total: Number(rows[0]?.total ?? 0) };
}

/** A point in time that a bigint holds. No execution is older or newer. */
function withinTime(time: number): number {
  return Math.min(Math.max(time, -maxTime), maxTime);
}

function matching(owner: Owner, filter: ExecutionFilter): Expression<SqlBool> {
  const { from, isQuarantined, metadata, parentExecutionId, status, to, userId, workflowId } = filter;
  const eb = expressionBuilder<{ readonly e: Tables['executions'] }, 'e'>();
  const conditions: Expression<SqlBool>[] = [
    isOwnedBy(owner, 'e.user_id'),
    parentExecutionId === null ? eb('e.parent_id', 'is', null) : eb('e.parent_id', '=', toText(parentExecutionId)),
  ];
  if (workflowId !== undefined) conditions.push(eb('e.workflow_id', '=', toText(workflowId)));
  if (status !== undefined) conditions.push(eb('e.status', '=', status));
  if (userId !== undefined) conditions.push(eb('e.user_id', '=', toText(userId)));
  if (isQuarantined !== undefined) conditions.push(eb('e.quarantined_at', 'is not', null));
  if (from !== undefined) conditions.push(eb('e.created_at', '>=', withinTime(Math.ceil(from))));
  if (to !== undefined) conditions.push(eb('e.created_at', '<=', withinTime(Math.floor(to))));
  const digests = metadata === undefined ? [] : metadataDigests(metadata);
  // The first part repeats the predicate of the partial index, so that PostgreSQL can use it.
  if (digests.length > 0)
    conditions.push(sql<SqlBool>`e.metadata_digests <> '{}' and e.metadata_digests @> ${digests}::text[]`);
  return eb.and(conditions);
}
