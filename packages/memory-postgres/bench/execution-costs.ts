import { randomBytes } from 'node:crypto';
import { silentLogger } from '@halyard/contracts';
import {
  andThen,
  andWorkflow,
  type AnyWorkflow,
  createWorkflow,
  type StepContext,
  WorkflowRuntime,
} from '@halyard/core';
import { Pool } from 'pg';
import { createPostgresStorage } from '../src/postgres-storage.ts';
import { startPostgresServer } from '../src/testing/postgres-server.ts';
import { latency } from './measure.ts';

/*
 * Measures what executions cost the database: lists of a million executions, the statements and rows of a wake-up, the renewal of leases, and the write-ahead log.
 * Run: node --conditions=@halyard/source bench/execution-costs.ts [rows of the list]
 */
const server = await startPostgresServer();
const pool = new Pool({ connectionString: server.connectionString });
let statements = 0;
pool.on('connect', (client) => {
  const query = client.query.bind(client) as (...parameters: unknown[]) => unknown;
  Object.assign(client, {
    query: (...parameters: unknown[]) => {
      statements += 1;
      return query(...parameters);
    },
  });
});
const storage = createPostgresStorage({ pool });
await storage.executions.nextDue(['order']);
try {
  await subWorkflows();
  await loops();
  await eventPage();
  await walOfSteps();
  await leases();
  await sharedBacklog();
  await lists(Number(process.argv[2] ?? 1_000_000));
} finally {
  await storage.close();
  await pool.end();
  await server.remove();
}

async function subWorkflows(): Promise<void> {
  const part = createWorkflow({ id: 'part' }).andThen({ id: 'do', execute: ({ data }) => data });
  const workflow = createWorkflow({ id: 'many' })
    .andForEach({
      id: 'each',
      items: () => Array.from({ length: 500 }, (_, index) => index),
      concurrency: 50,
      step: andWorkflow({ id: 'part', workflow: part, input: ({ data }: { data: unknown }) => data }),
    })
    .andThen({ id: 'ask', execute: ({ resumeData, suspend }) => resumeData ?? suspend('ask') });
  const executionId = await runUntilIdle(workflow);
  const [before, began] = [statements, performance.now()];
  await withRuntime(workflow, async (runtime) => {
    await runtime.resume({ owner: 'anyone', workflowId: 'many', executionId }, { resumeData: 1 });
    await runtime.wait({ owner: 'anyone', executionId });
  });
  report('resume with 500 sub-workflows', { statements: statements - before, ms: performance.now() - began });
}

/** The last round waits for an answer. */
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

async function walOfSteps(): Promise<void> {
  for (const [name, size, must] of [
    ['tiny', 10, 6],
    ['16 KB', 16_000, 120],
  ] as const) {
    let workflow = createWorkflow({ id: `wal-${size}` }).andThen({ id: 'step-0', execute: () => randomText(size) });
    for (const index of [1, 2, 3, 4])
      workflow = workflow.andThen({ id: `step-${index}`, execute: () => randomText(size) });
    await withRuntime(workflow, async (runtime) => {
      await runtime.execute(workflow.id, null, {});
      const before = await walBytes();
      for (let time = 0; time < 50; time += 1) await runtime.execute(workflow.id, null, {});
      const kilobytes = ((await walBytes()) - before) / 50 / 1024;
      report(`WAL of a run of 5 steps, ${name} outputs`, { kilobytes }, { kilobytes: must });
    });
  }
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

/** Six processes find 6 000 due executions at the same time. */
async function sharedBacklog(): Promise<void> {
  const workflow = createWorkflow({ id: 'backlog' }).andThen({ id: 'work', execute: () => 1 });
  const ids = Array.from({ length: 6_000 }, (_, index) => `backlog-${index}`);
  await withRuntime(workflow, async (runtime) => {
    for (const executionId of ids) await runtime.begin('backlog', null, { executionId, startAfterMs: 8_000 });
  });
  let [claims, inVain] = [0, 0];
  const store = storage.executions;
  const claim: typeof store.claim = async (...parameters) => {
    const claimed = await store.claim(...parameters);
    claims += 1;
    if (claimed === undefined) inVain += 1;
    return claimed;
  };
  const executions = new Proxy(store, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      return name === 'claim' ? claim : typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const began = performance.now();
  const runtimes = Array.from(
    { length: 6 },
    () =>
      new WorkflowRuntime({
        workflows: [workflow],
        storage: { ...storage, executions },
        services: { logger: silentLogger },
      }),
  );
  for (const runtime of runtimes) runtime.start();
  const [reader] = runtimes;
  for (const executionId of ids) await reader?.wait({ owner: 'anyone', executionId });
  await Promise.all(runtimes.map((runtime) => runtime.stop(0)));
  const inVainPercent = (100 * inVain) / claims;
  report(
    'a backlog shared by six processes',
    { claims, inVainPercent, ms: performance.now() - began },
    { inVainPercent: 5 },
  );
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
    'the same with the exact total',
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
  const runtime = new WorkflowRuntime({ workflows: [workflow], storage, services: { logger: silentLogger } });
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
    `select sum(idx_tup_fetch + seq_tup_read) as count from pg_stat_user_tables where relname ~ '^execution_(events|journal)_'`,
  );
  return Number(rows[0]?.count ?? 0);
}

async function walBytes(): Promise<number> {
  const { rows } = await pool.query<{ readonly bytes: string }>(
    `select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') as bytes`,
  );
  return Number(rows[0]?.bytes ?? 0);
}

async function updates(): Promise<{ readonly updates: number; readonly hot: number }> {
  await untilCounted();
  const { rows } = await pool.query<{ readonly updates: string; readonly hot: string }>(
    `select sum(n_tup_upd) as updates, sum(n_tup_hot_upd) as hot from pg_stat_user_tables`,
  );
  return { updates: Number(rows[0]?.updates ?? 0), hot: Number(rows[0]?.hot ?? 0) };
}

/** Connections report their figures a second after a statement at the latest, and when they are used again. */
async function untilCounted(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  await Promise.all(Array.from({ length: 10 }, () => pool.query('select pg_sleep(0.05)')));
  await new Promise((resolve) => setTimeout(resolve, 200));
}

/** Text that cannot be compressed. */
function randomText(length: number): string {
  return randomBytes(Math.ceil(length / 2))
    .toString('hex')
    .slice(0, length);
}

/** @param most what the figures may be at most. */
function report(
  name: string,
  figures: Readonly<Record<string, number>>,
  most: Readonly<Record<string, number>> = {},
): void {
  const parts = Object.entries(figures).map(([unit, value]) => {
    const must = most[unit];
    const reached = must === undefined ? '' : ` (must ${must}: ${value <= must ? 'reached' : 'MISSED'})`;
    return `${unit} ${Math.round(value * 10) / 10}${reached}`;
  });
  console.log(`${name}: ${parts.join(', ')}`);
}
