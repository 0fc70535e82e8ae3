import type { Owner, ResumeRequest } from '@halyard/contracts';
import { sql } from 'kysely';
import { databaseTime } from '../connection/database-time.ts';
import type { Database } from '../connection/database.ts';
import { ofOwner } from '../connection/of-owner.ts';
import { fromText, toText } from '../connection/text-codec.ts';

/** As many requests as are remembered: one that is sent again comes soon after the first. */
const rememberedRequests = 8;

/**
 * Answers a pending suspension, in one statement on the row of the root.
 *
 * @returns the execution whose suspension it was, also for a request that has been answered; undefined when it does not wait.
 */
export async function resumeExecution(
  database: Database,
  owner: Owner,
  { data, executionId, requestId, resumedBy, suspensionId }: ResumeRequest,
): Promise<string | undefined> {
  const now = databaseTime(database);
  const request = toText(requestId);
  const pattern = JSON.stringify([{ kind: 'suspension', id: toText(suspensionId) }]);
  const value = JSON.stringify({ suspensionId, data, resumedBy });
  const isAnswered = sql`w.value->>'kind' = 'suspension' and w.value->>'id' = ${toText(suspensionId)}`;
  return database.run(async (db) => {
    const row = await db
      .updateTable('executions as e')
      .set({
        waits: sql`(
          select coalesce(jsonb_agg(w.value order by w.n) filter (where not (${isAnswered})), '[]')
            || jsonb_agg(jsonb_build_object('kind', 'resumption', 'path', w.value->'path', 'execution', w.value->'execution', 'value', ${value}::text))
              filter (where ${isAnswered})
          from jsonb_array_elements(e.waits) with ordinality as w (value, n)
        )`,
        resume_request_ids: sql`(array_append(e.resume_request_ids, ${request}))[greatest(1, cardinality(e.resume_request_ids) + 2 - ${rememberedRequests}::integer):]`,
        signals: sql`e.signals + 1`,
        updated_at: now,
        status: sql`case when e.runner is null then 'running' else e.status end`,
        wants_runner_at: sql`case when e.runner is null then ${now} else e.wants_runner_at end`,
      })
      .where('e.id', '=', toText(executionId))
      .where('e.root_key', 'is', null)
      .where(ofOwner(owner))
      .where(sql<boolean>`e.waits @> ${pattern}::jsonb`)
      .where(sql<boolean>`not ${request} = any(e.resume_request_ids)`)
      .returning(sql<string>`e.waits->-1->>'execution'`.as('answered'))
      .executeTakeFirst();
    if (row !== undefined) return fromText(row.answered);
    const again = await db
      .selectFrom('executions as e')
      .select('e.id')
      .where('e.id', '=', toText(executionId))
      .where('e.root_key', 'is', null)
      .where(ofOwner(owner))
      .where(sql<boolean>`${request} = any(e.resume_request_ids)`)
      .executeTakeFirst();
    return again && executionId;
  });
}
