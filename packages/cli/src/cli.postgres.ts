import { type Storage, silentLogger } from '@halyard/contracts';
import { createPostgresStorage, migrations } from '@halyard/memory-postgres';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type PostgresServer, startPostgresServer } from '../../memory-postgres/src/testing/postgres-server.ts';
import { AppFolder, ending } from './testing/app-folder.ts';

const total = migrations.sql().split('insert into "halyard".migrations').length - 1;
const dayMs = 86_400_000;

let server: PostgresServer;
let app: AppFolder;
let databases = 0;
let url: string;
beforeAll(async () => {
  server = await startPostgresServer({ fsync: false });
});
afterAll(() => server.remove());
beforeEach(async () => {
  const name = `app_${(databases += 1)}`;
  await server.query(`create database ${name}`);
  url = server.connectionString.replace(/\/postgres$/, `/${name}`);
  app = new AppFolder();
  app.write(
    'package.json',
    JSON.stringify({ type: 'module', dependencies: { '@halyard/memory-postgres': '*', pg: '*' } }),
  );
});
afterEach(() => app.remove());

const halyard = (...args: readonly string[]) => app.run(args, { DATABASE_URL: url });

async function rows(text: string): Promise<readonly object[]> {
  const { Client } = await import('pg');
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<object>(text)).rows;
  } finally {
    await client.end();
  }
}

async function tables(): Promise<unknown> {
  const [row] = await rows(`select count(*)::integer as count from pg_tables where schemaname = 'halyard'`);
  return row;
}

describe('migrate', () => {
  it('lists, prints and runs pending migrations of the storage and the vectors', async () => {
    const before = await halyard('migrate', 'status', '--json');
    expect(before.code).toBe(1);
    expect(JSON.parse(before.stdout)).toMatchObject({
      upToDate: false,
      sets: [
        { name: 'storage', schema: 'halyard', applied: [], pending: { length: total } },
        { name: 'vectors', pending: [{ number: 1, name: 'message_vectors' }] },
      ],
    });
    expect(await tables()).toEqual({ count: 0 });

    const up = await halyard('migrate', 'up');
    expect(up.stdout).toContain(`✓ Storage in the schema halyard: ${total} migration`);
    expect(up.stderr).toContain('Vectors in the schema halyard: skipped. Pass --dimensions');
    expect(up.code).toBe(0);

    const again = await halyard('migrate', 'up');
    expect(again.stdout).toContain('✓ Storage in the schema halyard: up to date');
    const { stdout } = await halyard('migrate', 'status');
    expect(stdout.match(/✓/g)).toHaveLength(total);
    expect(stdout).toMatch(/○ {2}1 {2}message_vectors {2}pending/);
  });

  it('prints statements that another role can run', async () => {
    await rows(migrations.sql().split('\n\n')[0] ?? '');
    const { stdout } = await halyard('migrate', 'sql');
    await rows(stdout);
    const storage = createPostgresStorage({ connectionString: url, autoMigrate: false, logger: silentLogger });
    await storage.opened?.();
    await storage.check();
    await storage.close();
    const { stderr } = await halyard('migrate', 'sql');
    expect(stderr).toContain('Vectors: left out.');
  });

  it('says that the extension for vectors is missing', async () => {
    const { code, stderr } = await halyard('migrate', 'up', '--dimensions', '3');
    const [available] = await rows(
      `select count(*)::integer as count from pg_available_extensions where name = 'vector'`,
    );
    const isAvailable = JSON.stringify(available) === '{"count":1}';
    expect(code).toBe(isAvailable ? 0 : 1);
    expect(stderr).toMatch(isAvailable ? /^$/ : /does not have the extension "vector": install pgvector/);
  });

  it('runs all migrations or none when it is killed', async () => {
    // Each statement that changes the schema takes longer, so that the kill arrives between two of
    // them.
    await rows(`
      create function slow() returns event_trigger language plpgsql as 'begin perform pg_sleep(0.05); end';
      create event trigger slow on ddl_command_end execute function slow();`);
    const child = app.start(['migrate', 'up'], { DATABASE_URL: url });
    const ended = ending(child);
    const isMigrating = async (): Promise<unknown> =>
      (
        await rows(
          `select 1 from pg_stat_activity where application_name = 'halyard' and query like '%create table%' and datname = current_database()`,
        )
      ).length;
    await expect.poll(isMigrating, { timeout: 120_000, interval: 20 }).toBe(1);
    child.kill('SIGKILL');
    await ended;
    await rows('drop event trigger slow');
    await expect.poll(isMigrating, { timeout: 60_000 }).toBe(0);
    expect(await tables()).toEqual({ count: 0 });

    expect((await halyard('migrate', 'up')).code).toBe(0);
    expect((await rows('select number from halyard.migrations')).length).toBe(total);
  });

  it('runs each migration once when several run at the same time', async () => {
    const ends = await Promise.all([halyard('migrate', 'up'), halyard('migrate', 'up')]);
    expect(ends.map(({ code, stderr }) => (code === 0 ? 0 : stderr))).toEqual([0, 0]);
    expect((await rows('select number from halyard.migrations')).length).toBe(total);
  });
});

describe('doctor', () => {
  it('finds pending migrations, and a database that is not there', async () => {
    const checks = async (): Promise<readonly { readonly id: string; readonly status: string }[]> =>
      (JSON.parse((await halyard('doctor', '--json')).stdout) as { checks: [] }).checks;
    expect(await checks()).toContainEqual({
      id: 'migrations:storage',
      status: 'failed',
      message: 'Storage in the schema halyard: no tables yet',
      fix: 'halyard migrate up',
    });
    await halyard('migrate', 'up');
    expect(await checks()).toContainEqual(expect.objectContaining({ id: 'migrations:storage', status: 'ok' }));
    url = url.replace(/\w+$/, 'missing');
    expect(await checks()).toContainEqual(
      expect.objectContaining({
        id: 'database',
        status: 'failed',
        message: expect.stringContaining('"missing" does not exist') as string,
      }),
    );
  });
});

describe('retention', () => {
  /** Writes a storage as it was some days ago. */
  async function fill(daysAgo: number): Promise<void> {
    const storage = createPostgresStorage({
      connectionString: url,
      logger: silentLogger,
      clockShiftMs: () => -daysAgo * dayMs,
    });
    await write(storage, daysAgo);
    await storage.close();
  }

  async function write(storage: Storage, daysAgo: number): Promise<void> {
    const id = `${daysAgo}-days`;
    await storage.conversations.save(
      { user: 'ada' },
      {
        conversationId: id,
        create: { id, resourceId: 'assistant', userId: 'ada', title: '', metadata: {} },
        messages: [],
      },
    );
    const now = Date.now() - daysAgo * dayMs;
    await storage.telemetry?.write({
      spans: [],
      logs: [
        {
          timestamp: now,
          traceId: null,
          spanId: null,
          severityNumber: 9,
          severityText: 'INFO',
          body: 'hello',
          attributes: {},
        },
      ],
    });
    await rows(`
      insert into halyard.executions (id, root_id, path, workflow_id, workflow_name, status, request_id, created_at, updated_at, ended_at, seq, journal_position, metadata_digests, waits, state, input, context, metadata)
      select '${id}-' || n, '${id}-' || n, '', 'order', 'Order', 'completed', 'r', ${now}, ${now}, ${now}, 0, 0, '{}', '[]', '{}', '{}', '{}', '{}' from generate_series(1, 600) n`);
  }

  it('shows stored data by age, and deletes older data', async () => {
    await halyard('migrate', 'up');
    for (const days of [0, 3, 40]) await fill(days);
    const shown = await halyard('retention');
    expect(shown.stdout).toMatch(/Ended executions +600 +600 +0 +600 +0\n/);
    expect(shown.stdout).toMatch(/Log lines +1 +1 +0 +1 +0\n/);
    expect(shown.stdout).toMatch(/Conversations +1 +1 +0 +1 +0\n/);

    const dry = await halyard('retention', '--older-than', '30d', '--dry-run');
    expect(dry.stdout).toContain('Older than 30d: 600 ended executions, 0 spans, 1 log line (whole days)');
    expect(dry.code).toBe(0);
    const unconfirmed = await halyard('retention', '--older-than', '30d');
    expect(unconfirmed.stderr).toContain('Look at it with --dry-run, then pass --yes');
    expect(unconfirmed.code).toBe(2);
    expect((await rows('select 1 from halyard.executions')).length).toBe(1_800);

    const telemetry = await halyard('retention', '--older-than', '30d', '--only', 'telemetry', '--yes');
    expect(telemetry.stdout).toContain('✓ Deleted');
    expect((await rows('select 1 from halyard.executions')).length).toBe(1_800);
    await halyard('retention', '--older-than', '30d', '--yes');
    const after = await halyard('retention');
    expect(after.stdout).toMatch(/Ended executions +600 +600 +0 +0 +0\n/);
    expect(after.stdout).toMatch(/Log lines +1 +1 +0 +0 +0\n/);
    expect(after.stdout).toMatch(/Conversations +1 +1 +0 +1 +0\n/);
  });
});
