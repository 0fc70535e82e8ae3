import type { Pool } from 'pg';
import { type BodyLine, readBodies } from './body-log.ts';

/** The body that a line is of: any run of it is the same work. */
export function bodyOf({ attempt, execution, path }: BodyLine): string {
  return `${execution} ${path} ${attempt}`;
}

/**
 * The bodies that a process has begun and that are not recorded now: those that may have to run again when it is gone.
 *
 * Ask once it is ended or stopped, before anybody may take over.
 */
export async function bodiesInFlight(pool: Pool, bodyLog: string): Promise<ReadonlyMap<string, string>> {
  const begun = new Map<string, BodyLine>();
  for (const line of readBodies(bodyLog)) if (line.kind === 'start') begun.set(bodyOf(line), line);
  const ids = [...new Set([...begun.values()].map(({ execution }) => execution))];
  const rows = await pool.query<{ id: string; ended: boolean; waits: readonly string[]; paths: readonly string[] }>(
    `select id, ended_at is not null as ended, array(select w->>'path' from jsonb_array_elements(waits) w where w->>'kind' <> 'timer') as waits,
       array(select path from halyard.execution_journal where root_key = e.key) as paths
     from halyard.executions e where id = any($1) and ended_at is null`,
    [ids],
  );
  const live = new Map(rows.rows.map(({ id, paths, waits }) => [id, { paths: new Set(paths), waits: new Set(waits) }]));
  const inFlight = new Map<string, string>();
  for (const [body, { attempt, execution, path }] of begun) {
    const row = live.get(execution);
    if (row === undefined || around(path).some((one) => row.paths.has(one))) continue;
    if (!attempt.endsWith('answered') && row.waits.has(path)) continue;
    inFlight.set(body, execution);
  }
  return inFlight;
}

/** The path itself, and those of the steps around it: `lines:0/pair/left`, `lines:0/pair`, `lines:0`, `lines`. */
function around(path: string): readonly string[] {
  const parts = path.split('/');
  return parts.flatMap((_, index) => {
    const one = parts.slice(0, parts.length - index).join('/');
    return [one, one.replace(/:\d+$/, '')];
  });
}
