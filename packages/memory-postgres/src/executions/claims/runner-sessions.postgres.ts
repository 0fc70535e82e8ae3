import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { silentLogger } from '@halyard/contracts';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createPostgresStorage } from '../../postgres-storage.ts';
import { emptyTables } from '../../testing/empty-tables.ts';
import { heldLeaseMs, runHeldWorkflow, type RunningProcess } from '../../testing/held-workflow.ts';
import { type PostgresServer, startPostgresServer } from '../../testing/postgres-server.ts';

const timeout = 120_000;

let server: PostgresServer;
const closing: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  server = await startPostgresServer({ fsync: false });
});
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
  await emptyTables(query);
});
afterAll(() => server.remove());

it('lets another process continue the executions of a killed one, long before its lease ends', async () => {
  const other = start(() => Promise.resolve());
  const script = join(import.meta.dirname, '../../testing/held-process.ts');
  const child = spawn(process.execPath, ['--conditions=@halyard/source', script, server.connectionString], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  closing.push(async () => child.kill('SIGKILL'));
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const { executionId, runner } = JSON.parse(line) as { readonly executionId: string; readonly runner: string };
  await lockOf(runner);

  child.kill('SIGKILL');

  expect(await other.runtime.wait({ executionId, owner: 'anyone' }, { until: 'ended' })).toMatchObject({
    status: 'completed',
    result: { by: process.pid },
  });
});

it.each([
  [
    'its connection was cut',
    () => query(`select pg_terminate_backend(pid) from pg_stat_activity where ${isListening}`),
  ],
  ['the server was restarted', () => server.crash()],
  ['the server has lost its memory', () => crashBackend()],
])('leaves a process alone that takes another lock, after %s', async (_, disturb) => {
  const held = Promise.withResolvers<void>();
  let bodies = 0;
  const started = Promise.withResolvers<void>();
  const one = start(() => {
    bodies += 1;
    started.resolve();
    return held.promise;
  });
  const executionId = await one.runtime.begin('held', {});
  await started.promise;
  const before = await lockOf(one.runtime.runner);

  await disturb();
  await expect.poll(() => lockOf(one.runtime.runner), { timeout }).not.toBe(before);

  expect(await look(0)).toEqual([]);
  held.resolve();
  expect(await one.runtime.wait({ executionId, owner: 'anyone' }, { until: 'ended' })).toMatchObject({
    status: 'completed',
  });
  expect([bodies, await query(`select epoch from halyard.executions where id = '${executionId}'`)]).toEqual([
    1,
    [{ epoch: 1 }],
  ]);
});

it('continues nothing elsewhere when the server is restarted or has lost its memory', async () => {
  const held = Promise.withResolvers<void>();
  const processes = [0, 1].map(() => start(() => held.promise));
  const begun = await Promise.all(processes.flatMap(({ runtime }) => [0, 1, 2].map(() => runtime.begin('held', {}))));
  const locks = (): Promise<readonly string[]> => Promise.all(processes.map(({ runtime }) => lockOf(runtime.runner)));
  for (const disturb of [() => server.crash(), crashBackend, () => server.crash()]) {
    const before = await locks();
    await disturb();
    await expect.poll(async () => (await locks()).some((key) => before.includes(key)), { timeout }).toBe(false);
  }
  held.resolve();
  const { runtime } = processes[0] ?? expect.fail();
  for (const executionId of begun) {
    const { status } = await runtime.wait({ executionId, owner: 'anyone' }, { until: 'ended' });
    expect(status).toBe('completed');
  }
  expect(await query('select distinct epoch, quarantined_at from halyard.executions')).toEqual([
    { epoch: 1, quarantined_at: null },
  ]);
});

it('ends the lease of a runner whose lock was lost, unless the lease is being renewed', async () => {
  const values = { workflowId: 'w', workflowName: 'W', input: null, context: {}, workflowState: {}, metadata: {} };
  const options = { connectionString: server.connectionString, maxConnections: 4, logger: silentLogger };
  const here = createPostgresStorage(options);
  closing.push(() => here.close());
  const gone = createPostgresStorage(options);
  await gone.executions.create({ id: 'taken', ...values, events: [] }, { requestId: 'r' });
  await gone.executions.claim('taken', { runner: 'gone', leaseMs: heldLeaseMs });
  await lockOf('gone');
  expect(await look(0)).toEqual([]);
  await gone.close();

  // Until its connection has ended.
  await expect.poll(() => look(heldLeaseMs), { timeout }).toEqual([false]);
  expect(await look(heldLeaseMs)).toEqual([false]);
  const renewing = new Client({ connectionString: server.connectionString });
  await renewing.connect();
  await renewing.query(`begin; select from halyard.runners where name = 'gone' for update`);
  expect(await look(0)).toEqual([]);
  await renewing.end();
  await expect.poll(() => look(0), { timeout }).toEqual([true]);
  expect(await look(0)).toEqual([]);

  const lease = { runner: 'here', leaseMs: heldLeaseMs };
  const { claimed } = await here.executions.claimNext(lease, { definitions: { w: 'w' }, limit: 1 });
  expect(claimed.map(({ execution: { epoch, id } }) => [id, epoch])).toEqual([['taken', 2]]);
  expect(await here.executions.renew([], { runner: 'gone', leaseMs: 1 })).toEqual([]);
});

it('gives a process whose lock is free a second to come back', async () => {
  const values = { workflowId: 'w', workflowName: 'W', input: null, context: {}, workflowState: {}, metadata: {} };
  const options = { connectionString: server.connectionString, maxConnections: 4, logger: silentLogger };
  const gone = createPostgresStorage(options);
  await gone.executions.create({ id: 'taken', ...values, events: [] }, { requestId: 'r' });
  await gone.executions.claim('taken', { runner: 'gone', leaseMs: heldLeaseMs });
  await lockOf('gone');
  await gone.close();
  const [lost] = await query(`update halyard.runner_sessions
    set lost_at = floor(extract(epoch from clock_timestamp()) * 1000) where runner = 'gone' returning lost_at::float8`);

  const here = createPostgresStorage(options);
  closing.push(() => here.close());
  await here.executions.claimNext({ runner: 'here', leaseMs: heldLeaseMs }, { definitions: {}, limit: 1 });
  const ended = `select lease_until::float8 as at from halyard.runners where name = 'gone' and has_ended`;
  await expect.poll(() => query(ended), { timeout }).toHaveLength(1);
  const [end] = await query(ended);
  const lostAt = Number(Reflect.get(lost ?? {}, 'lost_at'));
  expect(Number(Reflect.get(end ?? {}, 'at'))).toBeGreaterThanOrEqual(lostAt + 1_000);
});

function start(hold: () => Promise<unknown>): RunningProcess {
  const started = runHeldWorkflow(server.connectionString, hold);
  closing.push(started.close);
  return started;
}

const isListening = `application_name = 'halyard' and query like '%hold_session%'`;

/** Waits for the key of the lock that a runner holds. */
async function lockOf(runner: string): Promise<string> {
  let key: string | undefined;
  await expect
    .poll(
      async () => {
        const [row] = await query(`select lock_key::text from halyard.runner_sessions s where runner = '${runner}'
          and server_started_at = pg_postmaster_start_time() and exists (select from pg_locks where locktype = 'advisory' and granted
            and objsubid = 1 and (classid::bigint << 32 | objid::bigint) = s.lock_key)`).catch(() => []);
        key = row === undefined ? undefined : String(Reflect.get(row, 'lock_key'));
        return key;
      },
      { timeout },
    )
    .toBeDefined();
  return key ?? expect.fail();
}

/** Looks for lost runners, as another process does. */
async function look(graceMs: number): Promise<readonly unknown[]> {
  const rows = await query(`select * from halyard.end_lost_runners('{}', ${graceMs}, 0) as ended`);
  return rows.map((row) => Reflect.get(row, 'ended'));
}

/** The server ends all its sessions when one of them dies, and starts again in the same process. */
async function crashBackend(): Promise<void> {
  const [row] = await query(`select pid from pg_stat_activity where application_name = 'halyard' limit 1`);
  process.kill(Number(Reflect.get(row ?? {}, 'pid')), 'SIGKILL');
}

async function query(text: string): Promise<readonly object[]> {
  return server.query(text);
}
