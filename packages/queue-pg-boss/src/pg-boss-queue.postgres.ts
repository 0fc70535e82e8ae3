import { type Job, type ScheduleTick, silentLogger, type Storage, type WorkQueue } from '@halyard/contracts';
import { createWorkflow, WorkflowRuntime } from '@halyard/core';
import { createPostgresStorage } from '@halyard/memory-postgres';
import { Pool } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type PostgresServer, startPostgresServer } from '../../memory-postgres/src/testing/postgres-server.ts';
import { createPgBossQueue, type PgBossQueueOptions } from './create-pg-boss-queue.ts';
import type { PgBossQueue } from './pg-boss-queue.ts';
import { describeConformance } from './testing/conformance.ts';

let server: PostgresServer;
let storage: Storage;
let admin: Pool;
const closing: (() => Promise<void>)[] = [];

beforeAll(async () => {
  server = await startPostgresServer({ fsync: false });
  storage = createPostgresStorage({ connectionString: server.connectionString, logger: silentLogger });
  admin = new Pool({ connectionString: server.connectionString, max: 2 });
  admin.on('error', () => {});
});

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

afterAll(async () => {
  await storage.close();
  await admin.end();
  await server.remove();
});

type Settings = Partial<Pick<PgBossQueueOptions, 'concurrency' | 'schema' | 'workflows' | 'maxWaiting' | 'pollMs'>>;

function openQueue(settings: Settings = {}): PgBossQueue {
  const { connectionString } = server;
  const queue = createPgBossQueue({ connectionString, maxConnections: 4, logger: silentLogger, ...settings });
  closing.push(() => queue.close());
  return queue;
}

/** Starts the queue with a runner whose executions run until `end` is called. */
function startQueue(queue: WorkQueue, workflowIds: readonly string[] = ['orders', 'notes']): StartedQueue {
  const started: Job[] = [];
  const running: (() => void)[] = [];
  queue.start(async (job) => {
    started.push(job);
    const { promise, resolve } = Promise.withResolvers<void>();
    running.push(resolve);
    await promise;
  }, workflowIds);
  return { started, end: () => running.shift()?.() };
}

interface StartedQueue {
  readonly started: Job[];
  readonly end: () => void;
}

function enqueue(queue: WorkQueue, count: number, workflowId = 'orders', prefix = 'run'): void {
  for (let index = 0; index < count; index += 1) queue.enqueue({ executionId: `${prefix}-${index}`, workflowId });
}

describe('pg-boss on a PostgreSQL server', () => {
  describeConformance(() => storage);
});

describe('limits of single workflows', () => {
  it('limits the executions of one workflow without delaying others', async () => {
    const queue = openQueue({ schema: 'limits', workflows: { orders: { concurrency: 2 } } });
    const { started, end } = startQueue(queue);
    enqueue(queue, 5);
    enqueue(queue, 5, 'notes', 'note');
    const of = (workflowId: string): number => started.filter((job) => job.workflowId === workflowId).length;
    await expect.poll(() => [of('orders'), of('notes')], { timeout: 120_000 }).toEqual([2, 5]);
    end();
    await expect.poll(() => of('orders'), { timeout: 120_000 }).toBe(3);
  });

  it('limits the rate at which executions of a workflow start', async () => {
    const queue = openQueue({ schema: 'rates', workflows: { orders: { rateLimit: { max: 2, windowMs: 700 } } } });
    const { started } = startQueue(queue);
    enqueue(queue, 6);
    expect(started).toHaveLength(2);
    const startedAt = performance.now();
    await expect.poll(() => started.length, { timeout: 120_000, interval: 10 }).toBe(6);
    expect(performance.now() - startedAt).toBeGreaterThan(1_300);
  });
});

describe('a database that fails', () => {
  it('does not prevent enqueuing: jobs that cannot be stored are left to sweeps, and work continues afterwards', async () => {
    const queue = openQueue({ schema: 'failing', concurrency: 1, pollMs: 200 });
    const { started, end } = startQueue(queue);
    enqueue(queue, 2);
    await expect.poll(async () => (await storedJobs('failing')).length, { timeout: 120_000 }).toBe(1);
    await server.stop();
    enqueue(queue, 3, 'orders', 'lost');
    expect(queue.hasRoom()).toBe(true);
    end();
    await server.start();
    await expect.poll(() => started.length, { timeout: 120_000 }).toBe(2);
    end();
    queue.enqueue({ executionId: 'after', workflowId: 'orders' });
    await expect
      .poll(() => started.some(({ executionId }) => executionId === 'after'), { timeout: 120_000 })
      .toBe(true);
  });

  it('does not prevent closing the queue', async () => {
    const queue = openQueue({ schema: 'closing', concurrency: 1 });
    const { started } = startQueue(queue);
    enqueue(queue, 3);
    await expect.poll(async () => (await storedJobs('closing')).length, { timeout: 120_000 }).toBe(2);
    await server.stop();
    await queue.close();
    await server.start();
    expect(started).toHaveLength(1);
  });
});

describe('the first attempt to open', () => {
  it('creates the tables', async () => {
    const queue = openQueue({ schema: 'first' });
    await queue.opened();
    expect(await storedJobs('first')).toEqual([]);
    const { started } = startQueue(queue);
    enqueue(queue, 1);
    await expect.poll(() => started.length, { timeout: 120_000 }).toBe(1);
  });

  it('is rejected when the role may not create the tables', async () => {
    await admin.query('create role modest login');
    const connectionString = server.connectionString.replace('postgres@', 'modest@');
    const queue = createPgBossQueue({ connectionString, schema: 'not_allowed', logger: silentLogger });
    closing.push(() => queue.close());
    await expect(queue.opened()).rejects.toMatchObject({
      code: 'INVALID_CONFIGURATION',
      message:
        'The tables of the work queue do not exist in the schema "not_allowed", and this role may not create them: run `npx pg-boss migrate --schema not_allowed` with a role that may create them',
    });
  });

  it('is rejected when the tables are missing and `autoMigrate` is false', async () => {
    const { connectionString } = server;
    const queue = createPgBossQueue({ connectionString, schema: 'by_hand', autoMigrate: false, logger: silentLogger });
    closing.push(() => queue.close());
    await expect(queue.opened()).rejects.toThrow('and `autoMigrate` is false: run `npx pg-boss migrate');
  });

  it('resolves while the server is down', async () => {
    await server.stop();
    const queue = openQueue({ schema: 'down' });
    await expect(queue.opened()).resolves.toBeUndefined();
    await server.start();
  });
});

describe('the pool', () => {
  it('is used and left open when the app provides it', async () => {
    const pool = new Pool({ connectionString: server.connectionString, max: 3 });
    const queue = createPgBossQueue({ pool, schema: 'given', concurrency: 1, logger: silentLogger });
    const { started, end } = startQueue(queue);
    enqueue(queue, 2);
    await expect.poll(async () => (await storedJobs('given')).length, { timeout: 120_000 }).toBe(1);
    end();
    await expect.poll(() => started.length, { timeout: 120_000 }).toBe(2);
    await queue.close();
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    expect([pool.idleCount, pool.waitingCount]).toEqual([pool.totalCount, 0]);
    await pool.end();
  });

  it('is the only one that a queue opens, and is closed with the queue', async () => {
    const queue = openQueue({ schema: 'own' });
    startQueue(queue);
    await expect.poll(async () => connections('halyard'), { timeout: 120_000 }).toBeGreaterThan(0);
    const before = await connections('halyard');
    await queue.close();
    await expect.poll(async () => connections('halyard'), { timeout: 120_000 }).toBeLessThan(before);
    expect(await connections('pgboss')).toBe(0);
  });
});

describe('workflows of several processes', () => {
  const ran: string[] = [];
  const workflow = createWorkflow({ id: 'orders' })
    .andThen({
      id: 'work',
      execute: async ({ data }) => {
        ran.push(String(data));
        return data;
      },
    })
    .schedule({ cron: '0 3 * * *', name: 'nightly', missed: 'once' });

  function startProcess(schema: string, concurrency: number): WorkflowRuntime {
    const runtime = new WorkflowRuntime({
      workflows: [workflow],
      storage,
      queue: openQueue({ schema, concurrency, pollMs: 500 }),
      services: { logger: silentLogger },
      leaseMs: 3_000,
    });
    runtime.start();
    closing.push(() => runtime.stop(1_000));
    return runtime;
  }

  it('run each execution once, whichever process started it, and notify the caller', async () => {
    const [one, other] = [startProcess('runtimes', 1), startProcess('runtimes', 8)];
    const results = await Promise.all(
      Array.from({ length: 60 }, (_, index) => (index % 2 === 0 ? one : other).execute('orders', `job-${index}`, {})),
    );
    expect(new Set(results.map(({ status }) => status))).toEqual(new Set(['completed']));
    const jobs = ran.filter((name) => name.startsWith('job-'));
    expect(jobs).toHaveLength(60);
    expect(new Set(jobs).size).toBe(60);
  });

  it('store their schedules once for all processes, and remove those that no longer exist', async () => {
    startProcess('schedules', 1);
    startProcess('schedules', 1);
    await expect
      .poll(() => storedSchedules('schedules'), { timeout: 120_000 })
      .toEqual(['tick/orders nightly 0 3 * * *']);
    const queue = openQueue({ schema: 'schedules' });
    startQueue(queue, ['orders']);
    queue.keepSchedules([], async () => {});
    await expect.poll(() => storedSchedules('schedules'), { timeout: 120_000 }).toEqual([]);
  });

  it('receive the last missed tick if the schedule requests it', async () => {
    // An hour that is far from the current one.
    const { rows } = await admin.query<{ readonly hour: number }>(
      `select extract(hour from now() at time zone 'utc' + interval '12 hours')::int as hour`,
    );
    const cron = `0 ${rows[0]?.hour} * * *`;
    const rules = (['once', 'skip'] as const).map((missed) => {
      return { workflowId: 'orders', name: missed, cron, timeZone: 'UTC', missed };
    });
    const before = openQueue({ schema: 'missed' });
    startQueue(before, ['orders']);
    before.keepSchedules(rules, async () => {});
    await expect.poll(async () => (await storedSchedules('missed')).length, { timeout: 120_000 }).toBe(2);
    await before.close();
    await admin.query(`update missed.version set cron_on = now() - interval '3 days'`);
    await admin.query(`update missed.schedule set created_on = now() - interval '9 days'`);

    const after = openQueue({ schema: 'missed' });
    const ticks: ScheduleTick[] = [];
    startQueue(after, ['orders']);
    after.keepSchedules(rules, async (tick) => void ticks.push(tick));
    await expect.poll(() => ticks.length, { timeout: 60_000 }).toBeGreaterThan(0);
    expect(ticks.map(({ name }) => name)).toEqual(['once']);
  });

  it('receive a tick that the database noticed, with retries, and list it as a dead letter after that', async () => {
    const queue = openQueue({ schema: 'ticks' });
    const ticks: ScheduleTick[] = [];
    startQueue(queue, ['orders']);
    queue.keepSchedules(
      [{ workflowId: 'orders', name: 'minutely', cron: '* * * * *', timeZone: 'UTC', missed: 'skip' }],
      async (tick) => {
        ticks.push(tick);
        throw new RangeError('the input does not fit');
      },
    );
    await expect.poll(() => ticks.length, { timeout: 60_000 }).toBeGreaterThan(0);
    expect(ticks[0]).toMatchObject({ workflowId: 'orders', name: 'minutely' });
    // Again and again: the job may be between two states.
    const lastRetryNow = async () => {
      await admin.query(
        `update ticks.job set retry_limit = retry_count, start_after = now() where name = 'tick/orders' and state in ('retry', 'active')`,
      );
      return queue.deadLetters({ limit: 5 });
    };
    await expect
      .poll(lastRetryNow, { timeout: 60_000 })
      .toMatchObject([{ workflowId: 'orders', schedule: 'minutely', reason: 'the input does not fit' }]);
  });
});

async function storedJobs(schema: string): Promise<readonly unknown[]> {
  const { rows } = await admin
    .query(`select id from ${schema}.job where name like 'run/%' and state = 'created'`)
    .catch(() => ({ rows: [] }));
  return rows;
}

async function storedSchedules(schema: string): Promise<readonly string[]> {
  const { rows } = await admin
    .query<{ readonly text: string }>(`select concat_ws(' ', name, key, cron) as text from ${schema}.schedule`)
    .catch(() => ({ rows: [] }));
  return rows.map(({ text }) => text);
}

async function connections(applicationName: string): Promise<number> {
  const text = 'select count(*)::int as count from pg_stat_activity where application_name = $1';
  const { rows } = await admin.query<{ readonly count: number }>(text, [applicationName]);
  return rows[0]?.count ?? 0;
}
