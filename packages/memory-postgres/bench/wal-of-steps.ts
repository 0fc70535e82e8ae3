import { randomBytes } from 'node:crypto';
import { silentLogger } from '@halyard/contracts';
import { Pool } from 'pg';
import { startPostgresServer } from '../src/testing/postgres-server.ts';
import { report } from './measure.ts';
import { importCore, importStorage } from './work-tree.ts';

/*
 * Measures the write-ahead log of an execution of five steps, one execution at a time: all bytes, and the tables and indexes that they are for. Full-page images are counted apart: how many there
 * are depends on how often the server makes a checkpoint.
 * Run: node --conditions=@halyard/source bench/wal-of-steps.ts
 * TREE: another work tree to measure instead.
 */
interface Part {
  readonly name: string;
  readonly records: number;
  readonly bytes: number;
  readonly images: number;
}

const { createWorkflow, WorkflowRuntime } = await importCore();
const { createPostgresStorage } = await importStorage();
const runs = 200;
const server = await startPostgresServer();
const pool = new Pool({ connectionString: server.connectionString });
const storage = createPostgresStorage({ pool });
try {
  await storage.executions.backlog(['order'], 1);
  await pool.query('create extension pg_walinspect');
  await measure('tiny outputs', 10, 6);
  await measure('outputs of 2 KB', 2_000, 24);
  await measure('outputs of 16 KB', 16_000, 120);
} finally {
  await storage.close();
  await pool.end();
  await server.remove();
}

async function measure(name: string, size: number, must: number): Promise<void> {
  const step = (id: string) => ({ id, execute: () => randomText(size) });
  const workflow = createWorkflow({ id: `wal-${size}` })
    .andThen(step('step-0'))
    .andThen(step('step-1'))
    .andThen(step('step-2'))
    .andThen(step('step-3'))
    .andThen(step('step-4'));
  const runtime = new WorkflowRuntime({ workflows: [workflow], storage, services: { logger: silentLogger } });
  runtime.start();
  for (let time = 0; time < 20; time += 1) await runtime.execute(workflow.id, null, {});
  const from = await position();
  for (let time = 0; time < runs; time += 1) await runtime.execute(workflow.id, null, {});
  const parts = await partsBetween(from, await position());
  await runtime.stop(0);
  const images = sumOf(parts, 'images');
  report(
    `WAL of a run of 5 steps, ${name}`,
    { kilobytes: (sumOf(parts, 'bytes') - images) / runs / 1_024, 'of full-page images': images / runs / 1_024 },
    { kilobytes: must },
  );
  for (const { bytes, images: ofImages, name: part, records } of parts) {
    const perRun = (bytes - ofImages) / runs;
    if (perRun >= 20) console.log(`  ${part}: ${Math.round(perRun)} bytes in ${(records / runs).toFixed(1)} records`);
  }
}

async function position(): Promise<string> {
  const { rows } = await pool.query<{ readonly position: string }>(
    `select pg_current_wal_flush_lsn()::text as position`,
  );
  return rows[0]?.position ?? '';
}

/**
 * The bytes written between two positions, for each table, index and kind of other records: the
 * largest first. Records begin at multiples of 8 bytes.
 */
async function partsBetween(from: string, to: string): Promise<readonly Part[]> {
  const { rows } = await pool.query<Part>(
    `select coalesce(c.relname, w.resource_manager) as name, count(*)::integer as records,
        sum((w.record_length + 7) / 8 * 8)::integer as bytes, sum(w.fpi_length)::integer as images
      from pg_get_wal_records_info($1, $2) w
      left join pg_class c on c.relfilenode = substring(w.block_ref from 'rel \\d+/\\d+/(\\d+)')::bigint
      group by 1 order by bytes desc`,
    [from, to],
  );
  return rows;
}

function sumOf(parts: readonly Part[], field: 'bytes' | 'images'): number {
  return parts.reduce((sum, part) => sum + part[field], 0);
}

/** Text that cannot be compressed. */
function randomText(length: number): string {
  return randomBytes(Math.ceil(length / 2))
    .toString('hex')
    .slice(0, length);
}
