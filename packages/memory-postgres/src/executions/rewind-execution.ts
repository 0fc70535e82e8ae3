import type { Owner, RewindRequest } from '@halyard/contracts';
import { type RawBuilder, sql, type SqlBool } from 'kysely';
import { databaseTime } from '../connection/database-time.ts';
import type { Database } from '../connection/database.ts';
import { ofOwner } from '../connection/of-owner.ts';
import { fromText, toText } from '../connection/text-codec.ts';
import { resumptionWait, type StoredRewind, type StoredWait } from './stored-wait.ts';

/** Forgets what was recorded from a step on. @returns the ids that were changed, the root's and its sub-workflows'; none when it is outdated. */
export async function rewindExecution(
  database: Database,
  owner: Owner,
  rewind: RewindRequest,
): Promise<readonly string[]> {
  const now = databaseTime(database);
  const paths = rewind.paths.map(toText);
  return database.run((db) =>
    db.transaction().execute(async (trx) => {
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
        .where(ofOwner(owner))
        .forUpdate()
        .executeTakeFirst();
      if (root === undefined) return [];

      await trx
        .deleteFrom('execution_journal as j')
        .where('j.root_key', '=', root.key)
        .where(
          sql<SqlBool>`(j.path = any(${rewind.entries.map(toText)}::text[]) or ${isAtOrBelow(sql`j.path`, paths)})`,
        )
        .execute();
      await trx
        .updateTable('executions as c')
        .set({ status: 'cancelled', ended_at: now, updated_at: now })
        .where('c.root_key', '=', root.key)
        .where('c.status', 'in', ['running', 'suspended'])
        .where(isAtOrBelow(sql`c.path`, paths))
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
  const kept = waits.filter(({ path }) => !paths.some((from) => isPathAtOrBelow(path, from)));
  return JSON.stringify(resumption === undefined ? kept : [...kept, resumptionWait(resumption)]);
}

/** Whether a path is the step at `from`, one of its instances, a step in it or a decision of it: not one whose id only begins alike. */
function isPathAtOrBelow(path: string, from: string): boolean {
  if (!path.startsWith(from)) return false;
  return path.length === from.length || '/#:'.includes(path.charAt(from.length));
}

/** The same, in the database. */
function isAtOrBelow(path: RawBuilder<unknown>, paths: readonly string[]): RawBuilder<SqlBool> {
  return sql<SqlBool>`exists (
    select from unnest(${paths}::text[]) as f (path)
    where ${path} = f.path or (starts_with(${path}, f.path) and substr(${path}, length(f.path) + 1, 1) in ('/', '#', ':'))
  )`;
}
