import { ConflictError, silentLogger, type Storage } from '@halyard/contracts';
import { createWorkflow, WorkflowRuntime } from '@halyard/core';
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createPostgresStorage } from '../../postgres-storage.ts';
import { type ServerDatabase, createServerDatabase } from '../../testing/server-database.ts';
import { toCreateJson } from '../rows/sql-arguments.ts';

const periodMs = 600_000;
const tenantOf = ({ context }: { readonly context: Readonly<Record<string, unknown>> }): string =>
  String(context['tenant']);

const ask = createWorkflow({ id: 'ask', singleton: { onBusy: 'skip', key: tenantOf } }).andThen({
  id: 'ask',
  execute: ({ suspend }) => suspend('which one?'),
});
const mail = createWorkflow({ id: 'mail', throttle: { limit: 3, periodMs, key: tenantOf } }).andThen({
  id: 'send',
  execute: ({ data }) => data,
});
const index = createWorkflow({ id: 'index', debounce: { delayMs: 1_500, key: tenantOf } }).andThen({
  id: 'build',
  execute: ({ data }) => {
    built.push(data);
    return data;
  },
});
const workflows = [ask, mail, index];
const built: unknown[] = [];

let server: ServerDatabase;
let storages: readonly [Storage, Storage];
let runtimes: readonly [WorkflowRuntime, WorkflowRuntime];
let other: Client;

beforeAll(async () => {
  server = await createServerDatabase();
  const { connectionString } = server;
  const open = (): Storage => createPostgresStorage({ connectionString, maxConnections: 4, logger: silentLogger });
  storages = [open(), open()];
  const run = (storage: Storage): WorkflowRuntime => {
    const runtime = new WorkflowRuntime({ workflows, storage, services: { logger: silentLogger } });
    runtime.start();
    return runtime;
  };
  runtimes = [run(storages[0]), run(storages[1])];
  await storages[0].executions.backlog(['ask'], 1);
  other = new Client({ connectionString });
  await other.connect();
});
beforeEach(() => {
  built.length = 0;
});
afterAll(async () => {
  await other.end();
  for (const runtime of runtimes) await runtime.stop(1_000);
  for (const storage of storages) await storage.close();
  await server.remove();
});

/** Starts executions at the same time, in turns by the two processes. */
async function startAll(
  workflowId: string,
  inputs: readonly number[],
  tenant: string,
): Promise<readonly PromiseSettledResult<string>[]> {
  return Promise.allSettled(
    inputs.map((input) => runtimes[input % 2 === 0 ? 0 : 1].begin(workflowId, input, { context: { tenant } })),
  );
}

function numbers(length: number): readonly number[] {
  return Array.from({ length }, (_, position) => position);
}

it('creates one execution when two processes start 50 with one singleton key at the same time', async () => {
  const starts = await startAll('ask', numbers(50), 'acme');
  const refused = starts.flatMap((start) => (start.status === 'rejected' ? [start.reason] : []));
  expect(refused).toHaveLength(49);
  for (const error of refused) {
    expect(error).toBeInstanceOf(ConflictError);
    expect(error).toMatchObject({ code: 'EXECUTION_SKIPPED' });
  }
  expect(await server.query(`select id from halyard.executions where workflow_id = 'ask'`)).toHaveLength(1);
});

it('starts no more executions of a throttle within its period when two processes start them', async () => {
  const starts = await startAll('mail', numbers(20), 'acme');
  expect(starts.every(({ status }) => status === 'fulfilled')).toBe(true);
  const rows = await server.query(
    `select throttled_at::float8 as at from halyard.executions where workflow_id = 'mail' order by throttled_at`,
  );
  const times = rows.map((row) => ('at' in row ? Number(row.at) : Number.NaN));
  expect(times).toHaveLength(20);
  for (const [position, at] of times.entries())
    if (position >= 3) expect(at - Number(times[position - 3])).toBeGreaterThanOrEqual(periodMs);
});

it('runs one of 20 debounced starts of two processes, the one that was created last', async () => {
  await startAll('index', numbers(20), 'acme');
  const [last] = await server.query(
    `select input from halyard.executions where workflow_id = 'index' order by key desc limit 1`,
  );
  await expect
    .poll(
      async () => server.query(`select id from halyard.executions where workflow_id = 'index' and ended_at is null`),
      {
        timeout: 120_000,
      },
    )
    .toHaveLength(0);
  expect(built.map((input) => ({ input: JSON.stringify(input) }))).toEqual([last]);
});

for (const [rule, options] of [
  ['singleton', { singleton: { key: 'replaced', onBusy: 'cancel-running' } }],
  ['debounce', { debounce: { key: 'replaced', delayMs: periodMs } }],
] as const)
  it(`leaves one execution of a ${rule} when a newer start comes before the transaction of an older one has committed`, async () => {
    const fields = { workflowId: 'order', workflowName: 'order', input: null, context: {}, workflowState: {} };
    const start = (id: string) => ({ id: `${rule}-${id}`, metadata: {}, events: [], ...fields });
    const [{ executions }] = storages;
    await other.query('begin');
    const older = toCreateJson(start('older'), { requestId: 'older', ...options });
    await other.query(`select halyard.create_executions($1, 0)`, [`[${older}]`]);

    const newer = toCreateJson(start('newer'), { requestId: 'newer', ...options });
    // It cannot see the older one, which would stay.
    expect(await server.query(`select halyard.create_executions('[${newer}]', 0) as outcome`)).toEqual([
      { outcome: 'busy' },
    ]);
    await other.query('commit');
    expect(await executions.create(start('newer'), { requestId: 'newer', ...options })).toBe('created');
    expect(await executions.supersede(`${rule}-older`, 'replaced')).toEqual([]);
    expect(await executions.supersede(`${rule}-newer`, 'replaced')).toEqual([
      { executionId: `${rule}-older`, workflowId: 'order' },
    ]);

    const left = await server.query(
      `select id from halyard.executions where id like '${rule}-%' and request_kind is distinct from 'cancel'`,
    );
    expect(left).toEqual([{ id: `${rule}-newer` }]);
  });

it('tells keys apart that differ only in characters which PostgreSQL cannot store, and takes the longest of them', async () => {
  const keys = [
    '\0',
    '\0\0',
    '\ud800',
    '\udfff',
    '␛0000',
    '',
    ' ',
    'é',
    'e\u0301',
    "'; drop table executions; --",
    '\0'.repeat(256),
  ];
  keys.push('\ud800'.repeat(256), '␛'.repeat(256), '漢'.repeat(256));
  const [one, two] = runtimes;
  for (const tenant of keys) {
    expect(await one.begin('ask', 1, { context: { tenant } })).toBeTypeOf('string');
    await expect(two.begin('ask', 2, { context: { tenant } })).rejects.toMatchObject({ code: 'EXECUTION_SKIPPED' });
    for (const workflowId of ['mail', 'index'])
      expect(await two.begin(workflowId, 1, { context: { tenant } })).toBeTypeOf('string');
  }
});
