import { ConfigurationError, silentLogger } from '@halyard/contracts';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPostgresStorage } from '../postgres-storage.ts';
import { type PostgresServer, startPostgresServer } from '../testing/postgres-server.ts';

describe('a server that refuses to open the database', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgresServer({ fsync: false });
    await server.query('create role reader login');
  });
  afterAll(() => server.remove());

  it.each<[string, { readonly path?: string; readonly query?: string; readonly user?: string }, string]>([
    ['wrong database', { path: '/shop' }, 'database "shop" does not exist. Check the name of the database'],
    ['wrong role', { user: 'nobody' }, 'role "nobody" does not exist. Check the role'],
    ['role without rights', { user: 'reader' }, 'permission denied for database postgres. Give the role'],
    [
      'missing certificate',
      { query: '?sslrootcert=/nowhere/ca.pem' },
      "no such file or directory, open '/nowhere/ca.pem'. Check the files that `sslrootcert`",
    ],
    ['directory of certificates', { query: '?sslrootcert=/etc' }, 'directory, read. Check the files'],
    [
      'unsupported encryption',
      { query: '?sslmode=verify-full' },
      'The server does not support SSL connections. Remove `sslmode`',
    ],
  ])(
    'is reported at once for a %s, by calls too',
    async (_mistake, { path = '/postgres', query = '', user = 'postgres' }, says) => {
      const { host } = new URL(server.connectionString);
      const storage = createPostgresStorage({
        connectionString: `postgres://${user}@${host}${path}${query}`,
        logger: silentLogger,
      });
      await expect(storage.opened?.()).rejects.toThrow(ConfigurationError);
      await expect(storage.opened?.()).rejects.toThrow(says);
      await expect(storage.executions.find('anyone', 'run')).rejects.toMatchObject({
        code: 'STORAGE_UNAVAILABLE',
        cause: { code: 'INVALID_CONFIGURATION' },
      });
      await storage.close();
    },
  );

  it('does not keep a role that owns its schema, and has no right on the database, from opening', async () => {
    await server.query('create role owner login');
    await server.query('create schema owned authorization owner');
    const connectionString = server.connectionString.replace('postgres@', 'owner@');
    const storage = createPostgresStorage({ connectionString, schema: 'owned', logger: silentLogger });
    await expect(storage.opened?.()).resolves.toBeUndefined();
    await expect(storage.check()).resolves.toBeUndefined();
    await storage.close();
  });

  it('gives up a migration that waits for a locked table, and tries again', { timeout: 60_000 }, async () => {
    const { connectionString } = server;
    const first = createPostgresStorage({ connectionString, schema: 'locked', logger: silentLogger });
    await first.opened?.();
    await first.close();
    // As after a release with one migration less.
    await server.query('delete from locked.migrations where number = (select max(number) from locked.migrations)');
    const holder = new Client({ connectionString });
    await holder.connect();
    await holder.query('begin; lock table locked.migrations');
    const storage = createPostgresStorage({ connectionString, schema: 'locked', logger: silentLogger });
    await storage.opened?.();
    expect(await waitingForLocks()).toEqual([]);
    await holder.end();
    await storage.close();
  });

  function waitingForLocks(): Promise<readonly object[]> {
    return server.query(
      "select query from pg_stat_activity where wait_event_type = 'Lock' and query not like '%advisory%'",
    );
  }

  it('opens once the mistake is corrected', async () => {
    const connectionString = server.connectionString.replace(/postgres$/, 'later');
    const storage = createPostgresStorage({ connectionString, logger: silentLogger });
    await expect(storage.opened?.()).rejects.toThrow('database "later" does not exist');
    await server.query('create database later');
    await expect
      .poll(
        () =>
          storage.check().then(
            () => 'open',
            () => 'closed',
          ),
        { timeout: 120_000 },
      )
      .toBe('open');
    await storage.close();
  });

  it('resolves while the server is down, because a later attempt can succeed', async () => {
    await server.stop();
    const storage = createPostgresStorage({ connectionString: server.connectionString, logger: silentLogger });
    await expect(storage.opened?.()).resolves.toBeUndefined();
    await storage.close();
    await server.start();
  });
});
