import type { Pool } from 'pg';

/** Records each claim with a trigger in the database. Call this after the migrations. */
export async function watchClaims(pool: Pool): Promise<void> {
  await pool.query(`
    create table claims (execution text not null, epoch integer not null, runner text, at double precision not null);
    create function record_claim() returns trigger language plpgsql as $$
    begin
      insert into claims values (new.id, new.epoch, new.runner, extract(epoch from clock_timestamp()) * 1000);
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

/** The times until each execution was claimed again, in milliseconds, the shortest first. */
export async function takeoverTimes(pool: Pool, losses: readonly Loss[]): Promise<readonly number[]> {
  const { rows } = await pool.query<{ execution: string; at: number }>('select execution, at from claims order by at');
  const claims = new Map<string, number[]>();
  for (const { at, execution } of rows) claims.set(execution, [...(claims.get(execution) ?? []), at]);
  const times = losses.flatMap(({ at, executions }) =>
    [...executions].flatMap((execution) => {
      const claimed = claims.get(execution)?.find((time) => time > at);
      return claimed === undefined ? [] : [claimed - at];
    }),
  );
  return times.toSorted((one, other) => one - other);
}

/** @param sorted in ascending order. @returns 0 when there are no values. */
export function percentile(sorted: readonly number[], part: number): number {
  return Math.round(sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * part) - 1)] ?? 0);
}
