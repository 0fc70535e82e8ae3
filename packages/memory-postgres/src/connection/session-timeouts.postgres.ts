import { ConfigurationError, silentLogger, type Storage } from '@halyard/contracts';
import { sql } from 'kysely';
import { Client, Pool } from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPostgresStorage, findDatabase } from '../postgres-storage.ts';
import { freePort } from '../testing/free-port.ts';
import { findPgbouncer, startPgbouncer, throughPgbouncer } from '../testing/pgbouncer.ts';
import { startRefusingPooler } from '../testing/refusing-pooler.ts';
import { createServerDatabase, type ServerDatabase } from '../testing/server-database.ts';

const names = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];
const inForce = ['30s', '2s', '10s'];

let server: ServerDatabase;
const closing: (() => Promise<void>)[] = [];
beforeEach(async () => {
  server = await createServerDatabase();
});
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
  await server.remove();
});

describe.each<[string, Parameters<typeof startRefusingPooler>[1]]>([
  ['refuses all timeouts', { refused: names }],
  ...names.map((name): [string, { refused: string[] }] => [`refuses ${name}`, { refused: [name] }]),
  ['ignores all timeouts', { ignored: names }],
])('a pooler that %s', (_, options) => {
  it('leaves each statement its timeouts, with one warning that names the settings of the role', async () => {
    const { storage, warnings } = await openBehind(options);
    await storage.opened?.();
    const settings = await Promise.all(Array.from({ length: 8 }, () => readSettings(storage)));
    expect(settings).toEqual(Array.from({ length: 8 }, () => inForce));
    expect(warnings).toEqual([
      expect.stringContaining(
        "alter role postgres set statement_timeout = '30s'; alter role postgres set lock_timeout = '2s'; alter role postgres set idle_in_transaction_session_timeout = '10s';",
      ),
    ]);
  });
});

it('writes and reads through a pooler that refuses timeouts', async () => {
  const { storage } = await openBehind({ refused: names });
  const conversation = { id: 'c', resourceId: 'a', userId: 'ada', title: '', metadata: {} };
  const ids = Array.from({ length: 20 }, (_, index) => `c-${index}`);
  await Promise.all(ids.map((id) => storage.conversations.create({ ...conversation, id })));
  const found = await Promise.all(ids.map((id) => storage.conversations.find('anyone', id)));
  expect(found.map((one) => one?.id)).toEqual(ids);
  expect(await server.query('select 1 from halyard.conversations')).toHaveLength(20);
});

it('ends the transaction of a statement that fails', async () => {
  const { storage } = await openBehind({ refused: names }, { maxConnections: 1 });
  await expect(findDatabase(storage)?.run((db) => sql`select 1 / 0`.execute(db))).rejects.toThrow('division by zero');
  expect(await readSettings(storage)).toEqual(inForce);
  expect(await server.query("select 1 from pg_stat_activity where state like 'idle in transaction%'")).toEqual([]);
});

it('gives up a statement that waits for a lock', async () => {
  const { storage } = await openBehind({ refused: names });
  await storage.opened?.();
  const locker = new Client({ connectionString: server.connectionString });
  await locker.connect();
  await locker.query('begin; lock table halyard.conversations');
  await expect(storage.conversations.find('anyone', 'c')).rejects.toMatchObject({ cause: { code: '55P03' } });
  await locker.end();
});

it('uses the settings of the role, or the database, without a warning', async () => {
  const name = new URL(server.connectionString).pathname.slice(1);
  for (const setting of names) await server.query(`alter database ${name} set ${setting} = '7s'`);
  const { storage, warnings } = await openBehind({ refused: names });
  expect(await readSettings(storage)).toEqual(['7s', '7s', '7s']);
  expect(warnings).toEqual([]);
});

it('sets only those that the role lacks', async () => {
  const name = new URL(server.connectionString).pathname.slice(1);
  await server.query(`alter database ${name} set statement_timeout = '7s'`);
  const { storage, warnings } = await openBehind({ refused: names });
  expect(await readSettings(storage)).toEqual(['7s', '2s', '10s']);
  expect(warnings).toEqual([expect.not.stringContaining('statement_timeout')]);
});

it('sends the timeouts at connect to a server that takes them, without a warning', async () => {
  const { storage, warnings } = await openBehind({});
  expect(await readSettings(storage)).toEqual(inForce);
  expect(warnings).toEqual([]);
});

it('keeps timeouts of the connection string, also that there is none', async () => {
  const { storage, warnings } = await openBehind({}, { query: '?statement_timeout=0&lock_timeout=500' });
  expect(await readSettings(storage)).toEqual(['0', '500ms', '10s']);
  expect(warnings).toEqual([]);
});

it('explains a parameter of the app that the pooler refuses', async () => {
  const { pooler, storage } = await openBehind({ refused: [...names, 'options'] }, { query: '?options=-c%20geqo=off' });
  await expect(storage.opened?.()).rejects.toThrow(ConfigurationError);
  await expect(storage.opened?.()).rejects.toThrow(
    'unsupported startup parameter: options. A pooler refuses it: remove it from `connectionString`',
  );
  const pool = new Pool({ connectionString: pooler, lock_timeout: 2_000 });
  const own = createPostgresStorage({ pool, logger: silentLogger });
  await expect(own.opened?.()).rejects.toThrow('or from the options of `pool`, and set it on the role');
  await own.close();
  await pool.end();
});

it('leaves no timeout behind in connections that PgBouncer shares', async ({ skip }) => {
  const program = await findPgbouncer();
  if (program === undefined) return skip('PgBouncer is not installed (Debian package: pgbouncer)');
  const port = await freePort();
  const pooler = await startPgbouncer({ program, database: server.connectionString, port });
  closing.push(pooler.stop);
  const connectionString = throughPgbouncer(server.connectionString, port);
  const { storage, warnings } = open(connectionString);
  await storage.opened?.();
  const conversation = { id: 'c', resourceId: 'a', userId: 'ada', title: '', metadata: {} };
  await storage.conversations.create(conversation);
  expect(await readSettings(storage)).toEqual(inForce);
  expect(warnings).toHaveLength(1);
  const clients = await Promise.all(
    Array.from({ length: 10 }, async () => {
      const client = new Client({ connectionString });
      await client.connect();
      closing.push(() => client.end());
      return client;
    }),
  );
  const rows = await Promise.all(
    clients.map((client) => client.query("select current_setting('lock_timeout') as found")),
  );
  expect(new Set(rows.map(({ rows: [row] }) => row?.found))).toEqual(new Set(['0']));
});

async function openBehind(
  options: Parameters<typeof startRefusingPooler>[1],
  { query = '', ...changes }: { readonly query?: string; readonly maxConnections?: number } = {},
) {
  const pooler = await startRefusingPooler(server.connectionString, options);
  closing.push(pooler.close);
  return { pooler: pooler.connectionString, ...open(`${pooler.connectionString}${query}`, changes) };
}

function open(connectionString: string, changes: { readonly maxConnections?: number } = {}) {
  const warnings: string[] = [];
  const logger = { ...silentLogger, warn: (_: object, message: string) => void warnings.push(message) };
  const storage = createPostgresStorage({ connectionString, logger, ...changes });
  closing.push(() => storage.close());
  return { storage, warnings };
}

async function readSettings(storage: Storage): Promise<readonly unknown[]> {
  const result = await findDatabase(storage)?.run((db) =>
    sql<
      Record<string, string>
    >`select ${sql.join(names.map((name) => sql`current_setting(${name}::text) as ${sql.ref(name)}`))}`.execute(db),
  );
  return names.map((name) => result?.rows[0]?.[name]);
}
