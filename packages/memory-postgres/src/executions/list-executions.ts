import type { Execution, ExecutionFilter, Owner } from '@halyard/contracts';
import { type RawBuilder, sql, type SqlBool } from 'kysely';
import type { Database } from '../connection/database.ts';
import { ofOwner } from '../connection/of-owner.ts';
import { toText } from '../connection/text-codec.ts';
import { rootWaitsJson, rowJson, selectedExecution } from './execution-record.ts';
import { metadataDigests } from './metadata-digests.ts';

/** A page of what matches, newest first, and how many match in all: one statement, so that both are of one moment. */
export async function listExecutions(
  database: Database,
  owner: Owner,
  filter: ExecutionFilter,
): Promise<{ readonly executions: readonly Execution[]; readonly total: number }> {
  const matches = sql.join<SqlBool>([ofOwner(owner), ...conditions(filter)], sql` and `);
  const rows = await database.read((db) =>
    db
      .with('page', (cte) =>
        cte
          .selectFrom('executions as e')
          .leftJoin('executions as r', 'r.key', 'e.root_key')
          .select([rowJson, rootWaitsJson, 'e.created_at', 'e.key'])
          .where(matches)
          .orderBy('e.created_at', 'desc')
          .orderBy('e.key', 'desc')
          .limit(filter.limit)
          .offset(filter.offset),
      )
      .selectFrom((eb) =>
        eb
          .selectFrom('executions as e')
          .select(sql<string | number>`count(*)`.as('total'))
          .where(matches)
          .as('t'),
      )
      .leftJoin('page', (join) => join.onTrue())
      .select(['t.total', 'page.row', 'page.root_waits'])
      .orderBy('page.created_at', 'desc')
      .orderBy('page.key', 'desc')
      .execute(),
  );
  const executions = rows.flatMap(({ root_waits, row }) =>
    row === null ? [] : selectedExecution({ row, root_waits }),
  );
  return { executions, total: Number(rows[0]?.total ?? 0) };
}

function conditions(filter: ExecutionFilter): readonly RawBuilder<SqlBool>[] {
  const { from, metadata, parentExecutionId, status, to, userId, workflowId } = filter;
  const found = [
    parentExecutionId === null
      ? sql<SqlBool>`e.parent_id is null`
      : sql<SqlBool>`e.parent_id = ${toText(parentExecutionId)}`,
  ];
  if (workflowId !== undefined) found.push(sql`e.workflow_id = ${toText(workflowId)}`);
  if (status !== undefined) found.push(sql`e.status = ${status}`);
  if (userId !== undefined) found.push(sql`e.user_id = ${toText(userId)}`);
  if (from !== undefined) found.push(sql`e.created_at >= ${Math.ceil(from)}`);
  if (to !== undefined) found.push(sql`e.created_at <= ${Math.floor(to)}`);
  const digests = metadata === undefined ? [] : metadataDigests(metadata);
  // Said twice, so that the index, which leaves out what has none, is known to fit.
  if (digests.length > 0) found.push(sql`e.metadata_digests <> '{}' and e.metadata_digests @> ${digests}::text[]`);
  return found;
}
