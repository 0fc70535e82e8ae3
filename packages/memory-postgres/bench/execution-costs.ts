import { silentLogger } from '@halyard/contracts';
import type { AnyWorkflow, StepContext, WorkflowRuntime } from '@halyard/core';
import { startPostgresServer } from '../src/testing/postgres-server.ts';
import { countedPool } from './counted-pool.ts';
import { latency, report } from './measure.ts';
import { importCore, importStorage } from './work-tree.ts';

/*
 * Measures what executions cost the database: lists of a million executions, the statements and rows of a wake-up, and the renewal of leases.
 * Run: node --conditions=@halyard/source bench/execution-costs.ts [rows of the list]
 * TREE: another work tree to measure instead.
 */
const { andThen, andWorkflow, createWorkflow, WorkflowRuntime: Runtime } = await importCore();
const { createPostgresStorage } = await importStorage();
const server = await startPostgresServer();
const { pool, statements } = countedPool(server.connectionString);
const storage = createPostgresStorage({ pool });
await storage.executions.backlog(['order'], 1);
try {
  await subWorkflows();
  await loops();
  await eventPage();
  await leases();
  await lists(Number(process.argv[2] ?? 1_000_000));
} finally {
  await storage.close();
  await pool.end();
  await server.remove();
}

/**
 * The statements from the request to resume until the end is known, for few and for many
 * sub-workflows.
 */
async function subWorkflows(): Promise<void> {
  for (const count of [5, 500]) {
    const part = createWorkflow({ id: 'part' }).andThen({ id: 'do', execute: ({ data }) => data });
    const workflow = createWorkflow({ id: `many-${count}` })
      .andForEach({
        id: 'each',
        items: () => Array.from({ length: count }, (_, index) => index),
        concurrency: 50,
        step: andWorkflow({ id: 'part', workflow: part, input: ({ data }: { data: unknown }) => data }),
      })
      .andThen({ id: 'ask', execute: ({ resumeData, suspend }) => resumeData ?? suspend('ask') });
    const executionId = await runUntilIdle(workflow);
    const began = performance.now();
    statements.length = 0;
    await withRuntime(workflow, async (runtime) => {
      await runtime.resume({ owner: 'anyone', workflowId: workflow.id, executionId }, { resumeData: 1 });
      await runtime.wait({ owner: 'anyone', executionId });
    });
    const ms = performance.now() - began;
    const of = (kind: RegExp): number => statements.filter((text) => kind.test(text)).length;
    const reads = of(/claim_executions|execution_events/);
    const rows = of(/row_to_json/);
    const writes = of(/^update|commit_executions|renew_lease/);
    const others = statements.length - reads - rows - writes;
    report(
      `resume with ${count} sub-workflows, statements`,
      { 'that read what it continues from': reads, 'of one row': rows, writes, 'notifications and sweeps': others, ms },
      { 'that read what it continues from': 3 },
    );
  }
}

/** The last round waits for a reply. */
async function loops(): Promise<void> {
  for (const rounds of [100, 1_000, 5_000]) {
    const workflow = createWorkflow({ id: `loop-${rounds}` }).andDoWhile({
      id: 'rounds',
      maxIterations: rounds + 1,
      condition: ({ data }) => data < rounds,
      step: andThen({
        id: 'round',
        execute: ({ data, resumeData, suspend }: StepContext<unknown>) => {
          const round = typeof data === 'number' ? data + 1 : 1;
          return round < rounds || resumeData !== undefined ? round : suspend('ask');
        },
      }),
    });
    const executionId = await runUntilIdle(workflow);
    const read = await rowsRead();
    const began = performance.now();
    await withRuntime(workflow, async (runtime) => {
      await runtime.resume({ owner: 'anyone', workflowId: workflow.id, executionId }, { resumeData: 1 });
      await runtime.wait({ owner: 'anyone', executionId });
    });
    const ms = performance.now() - began;
    report(`wake-up in round ${rounds} of a loop`, { ms, rowsRead: (await rowsRead()) - read });
  }
}

/** The first 500 of 200 000 events. */
async function eventPage(): Promise<void> {
  const workflow = createWorkflow({ id: 'talkative' }).andThen({ id: 'step', execute: () => 1 });
  const executionId = await runUntilIdle(workflow);
  await pool.query(
    `insert into halyard.execution_events (execution_key, seq, event)
      select e.key, e.seq + n, '{"type":"custom-x","from":"step","timestamp":""}' from halyard.executions e, generate_series(1, 200000) as n where e.id = $1`,
    [executionId],
  );
  await pool.query('vacuum analyze halyard.execution_events');
  const read = await rowsRead();
  const events = await storage.executions.events('anyone', executionId, { after: 0, limit: 500 });
  if (events.length !== 500) throw new TypeError(`${events.length} events were read`);
  report('the first 500 of 200 000 events', { rowsRead: (await rowsRead()) - read }, { rowsRead: 500 });
}

async function leases(): Promise<void> {
  const gate = Promise.withResolvers<void>();
  const workflow = createWorkflow({ id: 'idle' }).andThen({ id: 'wait', execute: () => gate.promise });
  await withRuntime(workflow, async (runtime) => {
    const ids = await Promise.all(Array.from({ length: 1_000 }, () => runtime.begin('idle', null, {})));
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const before = await updates();
    await new Promise((resolve) => setTimeout(resolve, 10_000));
    const after = await updates();
    report('leases of 1 000 idle executions', {
      updatesPerSecond: (after.updates - before.updates) / 10,
      hotPerSecond: (after.hot - before.hot) / 10,
    });
    gate.resolve();
    for (const executionId of ids) await runtime.wait({ owner: 'anyone', executionId });
  });
}

async function lists(rows: number): Promise<void> {
  await pool.query(`
insert into halyard.executions (id, root_id, path, workflow_id, workflow_name, user_id, status, created_at, updated_at, ended_at, seq, metadata_digests, state, input, context, metadata)
select 'run-' || n, 'run-' || n, '', 'w-' || n % 40, 'W', 'user-' || n % 5000, 'completed', n * 1000, n * 1000, n * 1000, 0, '{}', '{}', 'null', '{}', '{}'
from generate_series(1, ${rows}) as n`);
  await pool.query('vacuum analyze');
  const page = { parentExecutionId: null, limit: 20 };
  const { executions } = storage;
  const at = `run-${Math.floor(rows / 2)}`;
  await latency(`20 of ${rows}`, () => executions.list('anyone', { ...page, offset: 0 }), 100);
  await latency('the same without a total', () => executions.list('anyone', { ...page, offset: 0, maxTotal: 0 }), 300);
  await latency(
    `the same with the exact total, of all ${rows}`,
    () => executions.list('anyone', { ...page, offset: 0, maxTotal: rows }),
    20,
  );
  await latency(
    '20 from the offset 100 000',
    () => executions.list('anyone', { ...page, offset: 100_000, maxTotal: 0 }),
    50,
  );
  await latency(
    '20 after the one in the middle',
    () => executions.list('anyone', { ...page, after: at, offset: 0, maxTotal: 0 }),
    300,
  );
}

/** Runs the workflow in a process of its own kind until it waits. */
async function runUntilIdle(workflow: AnyWorkflow): Promise<string> {
  return withRuntime(workflow, async (runtime) => (await runtime.execute(workflow.id, null, {})).executionId);
}

async function withRuntime<Result>(
  workflow: AnyWorkflow,
  work: (runtime: WorkflowRuntime) => Promise<Result>,
): Promise<Result> {
  const runtime = new Runtime({ workflows: [workflow], storage, services: { logger: silentLogger } });
  runtime.start();
  try {
    return await work(runtime);
  } finally {
    await runtime.stop(0);
  }
}

async function rowsRead(): Promise<number> {
  await untilCounted();
  const { rows } = await pool.query<{ readonly count: string }>(
    `select sum(idx_tup_fetch + seq_tup_read) as count from pg_stat_user_tables where relname ~ '^execution_(events|journal)'`,
  );
  return Number(rows[0]?.count ?? 0);
}

async function updates(): Promise<{ readonly updates: number; readonly hot: number }> {
  await untilCounted();
  const { rows } = await pool.query<{ readonly updates: string; readonly hot: string }>(
    `select sum(n_tup_upd) as updates, sum(n_tup_hot_upd) as hot from pg_stat_user_tables`,
  );
  return { updates: Number(rows[0]?.updates ?? 0), hot: Number(rows[0]?.hot ?? 0) };
}

/**
 * Connections report their figures a second after a statement at the latest, and when they are used
 * again.
 */
async function untilCounted(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  await Promise.all(Array.from({ length: 10 }, () => pool.query('select pg_sleep(0.05)')));
  await new Promise((resolve) => setTimeout(resolve, 200));
}
