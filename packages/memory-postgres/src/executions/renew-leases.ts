import type { UnrenewedLeases } from '@halyard/contracts';
import { type RawBuilder, sql, type SqlBool } from 'kysely';
import type { Database } from '../connection/database.ts';
import { databaseTime } from '../connection/sql-fragments.ts';
import { fromText, toText } from '../connection/text-codec.ts';

export interface HeldLease {
  readonly executionId: string;
  readonly epoch: number;
}

/** How long `renew_execution` waits for a row that stays locked. */
const lockTimeoutMs = 250;

/** Renews leases together, except those whose rows are locked: these are renewed one by one, and wait for locks for at most half a lease in all. */
export async function renewLeases(
  database: Database,
  leases: readonly HeldLease[],
  leaseMs: number,
): Promise<UnrenewedLeases> {
  const mostTimeouts = Math.ceil(leaseMs / 2 / lockTimeoutMs);
  const unrenewed = await renewUnlocked(database, leases, leaseMs);
  const lost = [...unrenewed.lost];
  const busy: string[] = [];
  const locked = new Set(unrenewed.busy);
  for (const lease of leases.filter(({ executionId }) => locked.has(executionId))) {
    const outcome = busy.length < mostTimeouts ? await renewLocked(database, lease, leaseMs) : 'busy';
    if (outcome === 'lost') lost.push(lease.executionId);
    if (outcome === 'busy') busy.push(lease.executionId);
  }
  return { lost, busy };
}

/** Waits a short time for the row: an execution that is always being committed would never be found unlocked. */
async function renewLocked(
  database: Database,
  { epoch, executionId }: HeldLease,
  leaseMs: number,
): Promise<'renewed' | 'lost' | 'busy'> {
  const parameters = [toText(executionId), epoch, leaseMs, database.shiftMs];
  const [outcome = 'lost'] = await database.callScalar<'renewed' | 'lost' | 'busy'>('renew_execution', parameters);
  return outcome;
}

/** Skips rows that are locked, so that they do not delay the others. */
async function renewUnlocked(
  database: Database,
  leases: readonly HeldLease[],
  leaseMs: number,
): Promise<UnrenewedLeases> {
  const ids = leases.map(({ executionId }) => toText(executionId));
  const epochs = leases.map(({ epoch }) => epoch);
  const rows = await database.run((db) =>
    db
      .with('held', (cte) =>
        cte
          .selectFrom(
            sql<{ id: string; epoch: number }>`unnest(${ids}::text[], ${epochs}::integer[])`.as<'lease'>(
              sql`lease(id, epoch)`,
            ),
          )
          .leftJoin('executions as e', (join) =>
            join
              .onRef('e.id', '=', 'lease.id')
              .onRef('e.epoch', '=', 'lease.epoch')
              .on('e.root_key', 'is', null)
              .on('e.runner', 'is not', null)
              .on(hasPlace(database)),
          )
          .select(['lease.id', 'lease.epoch', 'e.key']),
      )
      .with(
        (cte) => cte('locked').materialized(),
        (cte) =>
          cte
            .selectFrom('executions as e')
            .innerJoin('held', 'held.key', 'e.key')
            .select('e.key')
            // These conditions are checked again when a row is locked.
            .whereRef('e.epoch', '=', 'held.epoch')
            .where('e.runner', 'is not', null)
            .where(hasPlace(database))
            .forUpdate('e')
            .skipLocked(),
      )
      .with('renewed', (cte) =>
        cte
          .updateTable('executions as e')
          .from('locked')
          .set({ wants_runner_at: sql<number>`${databaseTime(database)} + ${leaseMs}::bigint` })
          .whereRef('e.key', '=', 'locked.key')
          .returning('e.key'),
      )
      .selectFrom('held')
      .leftJoin('renewed', 'renewed.key', 'held.key')
      .select(['held.id', sql<boolean>`held.key is not null`.as('is_busy')])
      .where('renewed.key', 'is', null)
      .execute(),
  );
  const idsOf = (isBusy: boolean): readonly string[] =>
    rows.filter((row) => row.is_busy === isBusy).map(({ id }) => fromText(id));
  return { lost: idsOf(false), busy: idsOf(true) };
}

/** The condition that no other execution may have taken the place of `executions as e`. */
function hasPlace(database: Database): RawBuilder<SqlBool> {
  return sql<SqlBool>`(e.concurrency_key is null or e.wants_runner_at > ${databaseTime(database)})`;
}
