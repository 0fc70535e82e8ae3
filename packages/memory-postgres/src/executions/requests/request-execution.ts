import type { ExecutionRequest, Owner } from '@halyard/contracts';
import { sql } from 'kysely';
import type { Database } from '../../connection/database.ts';
import { databaseTime, isOwnedBy } from '../../connection/sql-fragments.ts';
import { toText } from '../../connection/text-codec.ts';

/**
 * Records a request on a root that has not ended. A later request does not replace a cancellation.
 */
export async function requestExecution(
  database: Database,
  owner: Owner,
  id: string,
  { kind, reason }: ExecutionRequest,
): Promise<'requested' | 'idle' | 'not-found'> {
  const now = databaseTime(database);
  return database.run(async (db) => {
    const { numUpdatedRows } = await db
      .updateTable('executions as e')
      .set({
        request_kind: sql`case when e.request_kind = 'cancel' then 'cancel' else ${kind} end`,
        request_reason: sql`case when e.request_kind = 'cancel' then e.request_reason else ${toText(reason)} end`,
        signals: sql`e.signals + 1`,
        updated_at: now,
        wants_runner_at: sql`case when e.runner is null then ${now} else e.wants_runner_at end`,
      })
      .where('e.id', '=', toText(id))
      .where('e.root_key', 'is', null)
      .where('e.status', 'in', ['running', 'suspended'])
      .where(isOwnedBy(owner, 'e.user_id'))
      .executeTakeFirst();
    if (numUpdatedRows > 0n) return 'requested';
    const found = await db
      .selectFrom('executions as e')
      .select('e.id')
      .where('e.id', '=', toText(id))
      .where('e.root_key', 'is', null)
      .where(isOwnedBy(owner, 'e.user_id'))
      .executeTakeFirst();
    return found === undefined ? 'not-found' : 'idle';
  });
}
