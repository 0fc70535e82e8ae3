import { decisionOfResumption, type Owner, type ResumeRequest } from '@halyard/contracts';
import { sql, type SqlBool } from 'kysely';
import type { Database } from '../../connection/database.ts';
import { databaseTime, isOwnedBy } from '../../connection/sql-fragments.ts';
import { fromText, toText } from '../../connection/text-codec.ts';
import { toWebhookJson } from '../../webhooks/new-webhooks.ts';

/** How many request ids are stored. A repeated request comes soon after the first. */
const storedRequests = 8;

/**
 * Replaces a pending suspension by its resumption, in one statement on the row of the root.
 *
 * @returns the execution that was suspended; the root for a request that was applied before;
 * undefined when the suspension is not pending.
 */
export async function resumeExecution(
  database: Database,
  owner: Owner,
  { data, executionId, isExpired, isTimeout, requestId, resumedBy, suspensionId }: ResumeRequest,
): Promise<string | undefined> {
  const now = databaseTime(database);
  const storedRequestId = toText(requestId);
  const pattern = JSON.stringify([{ kind: 'suspension', id: toText(suspensionId) }]);
  const value = JSON.stringify({ suspensionId, data, resumedBy, isTimeout, isExpired });
  const decision = toWebhookJson(decisionOfResumption({ data, isExpired, isTimeout, resumedBy }));
  const isThisSuspension = sql`w.value->>'kind' = 'suspension' and w.value->>'id' = ${toText(suspensionId)}`;
  return database.run(async (db) => {
    const resumed = await db
      .updateTable('executions as e')
      .set({
        waits: sql`(
          select coalesce(jsonb_agg(w.value order by w.n) filter (where not (${isThisSuspension})), '[]')
            || jsonb_agg(jsonb_build_object('kind', 'resumption', 'path', w.value->'path', 'execution', w.value->'execution', 'value', ${value}::text, 'decision', ${decision}::jsonb))
              filter (where ${isThisSuspension})
          from jsonb_array_elements(e.waits) with ordinality as w (value, n)
        )`,
        resume_request_ids: sql`(array_append(e.resume_request_ids, ${storedRequestId}))[greatest(1, cardinality(e.resume_request_ids) + 2 - ${storedRequests}::integer):]`,
        signals: sql`e.signals + 1`,
        updated_at: now,
        status: sql`case when e.runner is null then 'running' else e.status end`,
        wants_runner_at: sql`case when e.runner is null then ${now} else e.wants_runner_at end`,
      })
      .where('e.id', '=', toText(executionId))
      .where('e.root_key', 'is', null)
      .where(isOwnedBy(owner, 'e.user_id'))
      .where(sql<SqlBool>`e.waits @> ${pattern}::jsonb`)
      .where(sql<SqlBool>`not ${storedRequestId} = any(e.resume_request_ids)`)
      .returning(sql<string>`e.waits->-1->>'execution'`.as('execution'))
      .executeTakeFirst();
    if (resumed !== undefined) return fromText(resumed.execution);
    const earlier = await db
      .selectFrom('executions as e')
      .select('e.id')
      .where('e.id', '=', toText(executionId))
      .where('e.root_key', 'is', null)
      .where(isOwnedBy(owner, 'e.user_id'))
      .where(sql<SqlBool>`${storedRequestId} = any(e.resume_request_ids)`)
      .executeTakeFirst();
    return earlier && executionId;
  });
}
