import type { Cluster } from './cluster.ts';

export interface Throughput {
  readonly completed: number;
  /** The longest time in which none completed, in milliseconds. */
  readonly longestPauseMs: number;
  readonly problems: readonly string[];
}

/**
 * Checks that executions whose ids start with `prefix` completed in every period of `pauseMs`,
 * without the time in which there was no CPU for the processes, from the first that completed until
 * `until`.
 */
export async function checkThroughput(
  { cpuWaits, pool }: Pick<Cluster, 'cpuWaits' | 'pool'>,
  { pauseMs, prefix, until }: { readonly prefix: string; readonly until: number; readonly pauseMs: number },
): Promise<Throughput> {
  const { rows } = await pool.query<{ at: number }>(
    `select ended_at::double precision as at from halyard.executions
     where starts_with(id, $1) and status = 'completed' and root_key is null and ended_at <= $2 order by ended_at`,
    [prefix, until],
  );
  const ends = [...rows.map(({ at }) => at), until];
  const pauses = ends.slice(1).map((at, index) => {
    const before = ends[index] ?? at;
    return { ms: at - before, servedMs: at - before - cpuWaits.between(before, at) };
  });
  const longestPauseMs = Math.round(Math.max(0, ...pauses.map(({ ms }) => ms)));
  const longestServedMs = Math.round(Math.max(0, ...pauses.map(({ servedMs }) => servedMs)));
  const problems =
    rows.length === 0 || longestServedMs >= pauseMs
      ? [
          `the other executions stood still: none of ${rows.length} completed for ${longestServedMs} ms without waits for the CPU`,
        ]
      : [];
  return { completed: rows.length, longestPauseMs, problems };
}
