import type { Pool } from 'pg';
import { type BodyLine, readBodies } from './body-log.ts';

/** The identity of a step body. Repeated runs of the same work have the same one. */
export function bodyOf({ attempt, execution, path }: BodyLine): string {
  return `${execution} ${path} ${attempt}`;
}

/**
 * The step bodies that a process has started and whose results are not recorded. These may run
 * again when the process is lost. The values are their executions.
 *
 * Call this after the process was killed or paused, and before another process can take over.
 */
export async function bodiesInFlight(pool: Pool, bodyLog: string): Promise<ReadonlyMap<string, string>> {
  const started = new Map<string, BodyLine>();
  for (const line of readBodies(bodyLog)) if (line.kind === 'start') started.set(bodyOf(line), line);
  const ids = [...new Set([...started.values()].map(({ execution }) => execution))];
  const rows = await pool.query<{ id: string; ended: boolean; waits: readonly string[]; paths: readonly string[] }>(
    `select id, ended_at is not null as ended, array(select w->>'path' from jsonb_array_elements(waits) w where w->>'kind' <> 'timer') as waits,
       array(select path from halyard.execution_journal where root_key = e.key) as paths
     from halyard.executions e where id = any($1) and ended_at is null`,
    [ids],
  );
  const live = new Map(rows.rows.map(({ id, paths, waits }) => [id, { paths: new Set(paths), waits: new Set(waits) }]));
  const inFlight = new Map<string, string>();
  for (const [body, { attempt, execution, path }] of started) {
    const row = live.get(execution);
    if (row === undefined || enclosingPaths(path).some((one) => row.paths.has(one))) continue;
    if (!attempt.endsWith('answered') && row.waits.has(path)) continue;
    inFlight.set(body, execution);
  }
  return inFlight;
}

/**
 * The path and the paths of the enclosing steps: `lines:0/pair/left`, `lines:0/pair`, `lines:0`,
 * `lines`.
 */
function enclosingPaths(path: string): readonly string[] {
  const parts = path.split('/');
  return parts.flatMap((_, index) => {
    const one = parts.slice(0, parts.length - index).join('/');
    return [one, one.replace(/:\d+$/, '')];
  });
}
