import type { Pool } from 'pg';

export interface Throughput {
  readonly completed: number;
  /** The longest time in which none completed, in milliseconds. */
  readonly longestPauseMs: number;
  readonly problems: readonly string[];
}

/** Checks that executions whose ids start with `prefix` completed in every period of `pauseMs`, from the first that completed until `until`. */
export async function checkThroughput(
  pool: Pool,
  { pauseMs, prefix, until }: { readonly prefix: string; readonly until: number; readonly pauseMs: number },
): Promise<Throughput> {
  const { rows } = await pool.query<{ at: number }>(
    `select ended_at::double precision as at from halyard.executions
     where starts_with(id, $1) and status = 'completed' and root_key is null and ended_at <= $2 order by ended_at`,
    [prefix, until],
  );
  const ends = [...rows.map(({ at }) => at), until];
  const pauses = ends.slice(1).map((at, index) => at - (ends[index] ?? at));
  const longestPauseMs = Math.round(Math.max(0, ...pauses));
  const problems =
    rows.length === 0 || longestPauseMs >= pauseMs
      ? [`the other executions stood still: none of ${rows.length} completed for ${longestPauseMs} ms`]
      : [];
  return { completed: rows.length, longestPauseMs, problems };
}
