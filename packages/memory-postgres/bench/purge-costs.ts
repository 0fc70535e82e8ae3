import { Pool } from 'pg';
import { createPostgresStorage } from '../src/postgres-storage.ts';
import { startPostgresServer } from '../src/testing/postgres-server.ts';
import { report } from './measure.ts';

/*
 * Measures what it costs to delete ended executions of five steps: 14 events and 5 journal entries each.
 * Run: node --conditions=@halyard/source bench/purge-costs.ts [executions]
 */
const executions = Number(process.argv[2] ?? 20_000);
const server = await startPostgresServer();
const pool = new Pool({ connectionString: server.connectionString });
const storage = createPostgresStorage({ pool });
try {
  await storage.opened?.();
  await pool.query(fill(executions));
  await pool.query('vacuum analyze');
  // Pages that are changed after it are logged as a whole, once, as those of old executions always
  // are.
  await pool.query('checkpoint');
  const position = await walPosition();
  const began = performance.now();
  const batches: number[] = [];
  for (let deleted = 500; deleted === 500;) {
    const since = performance.now();
    deleted = await storage.executions.purge(0, 500);
    batches.push(performance.now() - since);
  }
  const tookMs = performance.now() - began;
  const bytes = (await walPosition()) - position;
  report(`deleting ${executions} executions`, {
    microsecondsOfEach: (tookMs * 1_000) / executions,
    kilobytesOfLogOfEach: bytes / 1_000 / executions,
    msOfMedianBatch: batches.toSorted((one, other) => one - other)[batches.length >> 1] ?? 0,
    msOfLongestBatch: Math.max(...batches),
  });
} finally {
  await storage.close();
  await pool.end();
  await server.remove();
}

async function walPosition(): Promise<number> {
  const { rows } = await pool.query<{ position: string }>(`select pg_current_wal_lsn() - '0/0'::pg_lsn as position`);
  return Number(rows[0]?.position);
}

function fill(count: number): string {
  return `
insert into halyard.executions (id, root_id, path, workflow_id, workflow_name, user_id, status, created_at, updated_at, ended_at, seq, journal_position, metadata_digests, state, input, context, metadata, output)
select 'run-' || n, 'run-' || n, '', 'w-' || n % 40, 'W', 'user-' || n % 500, 'completed', n * 1000, n * 1000, n * 1000, 14, 5, '{}', '{}', to_json(repeat('x', 200))::text, '{}', '{}', to_json(repeat('y', 200))::text
from generate_series(1, ${count}) as n;
insert into halyard.execution_events select key, n, '{"type":"step-complete","from":"step","timestamp":"2026-01-01T00:00:00.000Z","output":"' || repeat('z', 100) || '"}' from halyard.executions, generate_series(1, 14) as n;
insert into halyard.execution_journal select key, n, 'step-' || n, '{"type":"andThen","status":"success","attempts":1,"startedAt":1,"endedAt":2,"output":"' || repeat('z', 100) || '"}' from halyard.executions, generate_series(1, 5) as n;
`;
}
