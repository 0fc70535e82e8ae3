import type { Pool } from 'pg';

/** After this many claims in a row without a commit, an execution backs off. */
const backsOffAfter = 2;

/** Records each claim with a trigger in the database. Call this after the migrations. */
export async function watchClaims(pool: Pool): Promise<void> {
  await pool.query(`
    create table claims (execution text not null, epoch integer not null, claims_before integer not null, at double precision not null);
    create function record_claim() returns trigger language plpgsql as $$
    begin
      insert into claims values (new.id, new.epoch, old.claims_without_commit, extract(epoch from clock_timestamp()) * 1000);
      return null;
    end $$;
    create trigger record_claims after update of epoch on halyard.executions
      for each row when (old.epoch is distinct from new.epoch) execute function record_claim();
  `);
}

/** When a process was lost, and the executions that it was running. */
export interface Loss {
  readonly at: number;
  readonly executions: ReadonlySet<string>;
}

export interface Takeover {
  /** When the process was lost. */
  readonly at: number;
  readonly claimedAt: number;
  /**
   * Two processes in a row had ended before it recorded anything, so it was left alone for a while.
   */
  readonly backedOff: boolean;
}

/** When each execution was claimed again. */
export async function takeoversOf(pool: Pool, losses: readonly Loss[]): Promise<readonly Takeover[]> {
  const { rows } = await pool.query<{ execution: string; claims_before: number; at: number }>(
    'select execution, claims_before, at from claims order by at',
  );
  const claims = Map.groupBy(rows, ({ execution }) => execution);
  return losses.flatMap(({ at, executions }) =>
    [...executions].flatMap((execution): readonly Takeover[] => {
      const claim = claims.get(execution)?.find((one) => one.at > at);
      if (claim === undefined) return [];
      return [{ at, claimedAt: claim.at, backedOff: claim.claims_before >= backsOffAfter }];
    }),
  );
}

/** @param sorted in ascending order. @returns 0 when there are no values. */
export function percentile(sorted: readonly number[], part: number): number {
  return Math.round(sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * part) - 1)] ?? 0);
}
