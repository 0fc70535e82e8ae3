import type { Owner, RewindRequest } from '@halyard/contracts';
import { type RawBuilder, sql, type SqlBool } from 'kysely';
import type { Database } from '../connection/database.ts';
import { databaseTime, isOneOf, isOwnedBy } from '../connection/sql-fragments.ts';
import { fromText, toText } from '../connection/text-codec.ts';
import { resumptionWait, type StoredRewind, type StoredWait } from './stored-waits.ts';

/**
 * Deletes what was recorded from a step on, and makes the execution due again.
 *
 * @returns the ids of the root and its sub-workflows; none when the execution has changed since the caller read it.
 */
export async function rewindExecution(
  database: Database,
  owner: Owner,
  rewind: RewindRequest,
): Promise<readonly string[]> {
  const now = databaseTime(database);
  const paths = rewind.paths.map(toText);
  return database.run((db) =>
    db.transaction().execute(async (trx) => {
      // The app's own pool may have no timeouts.
      await sql`select set_config('idle_in_transaction_session_timeout', '10000', true), set_config('lock_timeout', '5000', true)`.execute(
        trx,
      );
      const root = await trx
        .selectFrom('executions as e')
        .select(['e.key', 'e.seq', sql<string>`e.waits::text`.as('waits'), sql<string>`e.rewinds::text`.as('rewinds')])
        .where('e.id', '=', toText(rewind.executionId))
        .where('e.root_key', 'is', null)
        .where('e.seq', '=', rewind.expectedSeq)
        .where('e.signals', '=', rewind.expectedSignals)
        .where(isOwnedBy(owner, 'e.user_id'))
        .forUpdate()
        .executeTakeFirst();
      if (root === undefined) return [];

      await trx
        .deleteFrom('execution_journal as j')
        .where('j.root_key', '=', root.key)
        .where((eb) => eb.or([isOneOf('j.path', rewind.entries.map(toText)), isAtOrBelow('j.path', paths)]))
        .execute();
      await trx
        .updateTable('executions as c')
        .set({ status: 'cancelled', ended_at: now, updated_at: now })
        .where('c.root_key', '=', root.key)
        .where('c.status', 'in', ['running', 'suspended'])
        .where(isAtOrBelow('c.path', paths))
        .execute();
      await trx
        .updateTable('executions')
        .set({
          waits: waitsAfter(JSON.parse(root.waits) as readonly StoredWait[], rewind, paths),
          rewinds: JSON.stringify([...(JSON.parse(root.rewinds) as readonly StoredRewind[]), { paths, seq: root.seq }]),
          status: 'running',
          output: null,
          error: null,
          ended_at: null,
          updated_at: now,
          signals: sql`signals + 1`,
          epoch: sql`epoch + 1`,
          runner: null,
          wants_runner_at: now,
        })
        .where('key', '=', root.key)
        .execute();
      const children = await trx.selectFrom('executions').select('id').where('root_key', '=', root.key).execute();
      return [rewind.executionId, ...children.map(({ id }) => fromText(id))];
    }),
  );
}

function waitsAfter(waits: readonly StoredWait[], { resumption }: RewindRequest, paths: readonly string[]): string {
  const remaining = waits.filter(({ path }) => !paths.some((from) => isPathAtOrBelow(path, from)));
  return JSON.stringify(resumption === undefined ? remaining : [...remaining, resumptionWait(resumption)]);
}

/** Whether a path is the step at `from`, one of its instances (`:`), one of its decisions (`#`) or a step inside it (`/`). */
function isPathAtOrBelow(path: string, from: string): boolean {
  if (!path.startsWith(from)) return false;
  return path.length === from.length || '/#:'.includes(path.charAt(from.length));
}

/** The same condition in SQL. */
function isAtOrBelow(column: string, paths: readonly string[]): RawBuilder<SqlBool> {
  const path = sql.ref(column);
  return sql<SqlBool>`exists (
    select from unnest(${paths}::text[]) as f (path)
    where ${path} = f.path or (starts_with(${path}, f.path) and substr(${path}, length(f.path) + 1, 1) in ('/', '#', ':'))
  )`;
}
