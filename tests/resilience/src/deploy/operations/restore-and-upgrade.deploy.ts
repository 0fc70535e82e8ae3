/** "Back up and restore", "Change a key" and "Upgrade" of docs/operations.md. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { Container } from '../image/container.ts';
import { secretsOfTests, startReplica, tokenOf } from '../image/replicas.ts';
import { documented, psql, shell } from './documented.ts';
import { approveOrder, type Installation, openInstallation, placeOrder, stop } from './installation.ts';

let installation: Installation;
let folder: string;
beforeEach(async () => {
  installation = await openInstallation();
  folder = mkdtempSync(join(tmpdir(), 'halyard-operations-'));
});
afterEach(async () => {
  await installation[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

it('a backup is restored into a new database, where executions continue', async () => {
  const { database, start, urlFor } = installation;
  await psql(database.connectionString, 'create role halyard login');
  await psql(database.connectionString, 'create database halyard owner halyard');
  const env = {
    DATABASE_URL: urlFor({ user: 'halyard', database: 'halyard' }),
    ADMIN_URL: urlFor({ database: 'halyard' }),
    RESTORED_URL: urlFor({ user: 'halyard', database: 'restored' }),
  };
  const original = await start({ databaseUrl: env.DATABASE_URL });
  const { executionId } = await placeOrder(original, { cents: 500_000 });
  await shell(documented('sh', 'pg_dump'), { cwd: folder, env });
  await stop(original);
  await shell(documented('sh', 'pg_restore'), { cwd: folder, env });

  const restored = await start({
    databaseUrl: env.RESTORED_URL,
    secrets: { 'halyard-secret': 'another-secret-after-the-restore-'.padEnd(48, 'x') },
  });
  expect(await approveOrder(restored, executionId)).toBe('completed');
  expect(await psql(env.DATABASE_URL, `select status from halyard.executions where id = '${executionId}'`)).toEqual([
    'suspended',
  ]);
});

it('a secret of tokens is changed in three deploys, and every replica accepts every token that was signed until then', async () => {
  const [old, fresh] = [secretsOfTests.jwtSecret, 'the-new-secret-of-tokens-'.padEnd(48, 'x')];
  const statuses = async (secret: string): Promise<readonly number[]> => {
    const replica = await installation.start({ secrets: { 'jwt-secret': secret } });
    const requests = [old, fresh].map((signedWith) =>
      fetch(`${replica.origin}/api/memory/conversations?userId=ada`, {
        headers: { authorization: `Bearer ${tokenOf('ada', signedWith)}` },
      }),
    );
    const answers = await Promise.all(requests);
    await stop(replica);
    return answers.map(({ status }) => status);
  };
  expect(await statuses(`${old}\n${fresh}`)).toEqual([200, 200]);
  expect(await statuses(fresh)).toEqual([401, 200]);
});

it('the password of the database is changed with a second role', async () => {
  const { database, start, urlFor } = installation;
  const administrator = database.connectionString;
  await psql(administrator, `create role halyard_a login; grant create on database postgres to halyard_a`);
  const [urlOfFirst, urlOfSecond] = [
    urlFor({ user: 'halyard_a' }),
    urlFor({ user: 'halyard_b', password: 'a-new-password' }),
  ];
  const before = await start({ databaseUrl: urlOfFirst });
  const { executionId } = await placeOrder(before, { cents: 500_000 });

  await psql(administrator, documented('sql', 'create role halyard_owner'));
  // The replica that runs, and one that starts, work as before.
  expect((await placeOrder(before)).status).toBe('completed');
  const again = await start({ databaseUrl: urlOfFirst });
  await stop(before);
  await psql(administrator, documented('sql', 'create role halyard_b'), { password: 'a-new-password' });
  const after = await start({ databaseUrl: urlOfSecond });
  await stop(again);
  await psql(
    administrator,
    `revoke create on database postgres from halyard_a; ${documented('sql', 'drop role halyard_a')}`,
  );

  expect(await approveOrder(after, executionId)).toBe('completed');
  expect((await placeOrder(after)).status).toBe('completed');
  expect(await psql(administrator, `select distinct tableowner from pg_tables where schemaname = 'halyard'`)).toEqual([
    'halyard_owner',
  ]);
});

it('an administrator runs the migrations for a role that may not change tables', async () => {
  const { database, start, urlFor } = installation;
  const administrator = database.connectionString;
  const env = { AUTO_MIGRATE: 'false' };
  const options = { databaseUrl: urlFor({ user: 'halyard_app' }), env };
  await psql(administrator, 'create role halyard_app login');

  // Without the tables, the process says so and ends.
  const early = await startReplica(inject('image'), options);
  expect(await early.container.ended).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('migrations.sql()') as unknown,
  });

  const [, ...commands] = documented('sh', 'migrations.sql').split('\n');
  const cwd = join(inject('image').folder, 'app');
  const toFolder = (command: string): string => command.replaceAll('migrations.sql', `${folder}/migrations.sql`);
  const script = commands.map((command) =>
    command.replaceAll(/(> |--file=)migrations\.sql/g, `$1${folder}/migrations.sql`),
  );
  expect(script.join('\n')).not.toBe(toFolder(''));
  await shell(script.join('\n'), { cwd, env: { OWNER_URL: administrator, LAST: '0' } });
  await psql(administrator, documented('sql', 'grant usage on schema halyard'));

  const replica = await start(options);
  expect((await placeOrder(replica)).status).toBe('completed');
  const { executionId } = await placeOrder(replica, { cents: 500_000 });
  expect(await approveOrder(replica, executionId)).toBe('completed');
  expect((await replica.asOperator('/observability/traces')).status).toBe(200);
  expect(replica.container.log.filter(({ level }) => Number(level) >= 50)).toEqual([]);
  expect(replica.container.stdout).not.toContain('permission denied');

  // Once all migrations were run, there are none to run: the same commands change nothing.
  await shell(
    documented('sh', 'migrations.sql').replaceAll(/(> |--file=)migrations\.sql/g, `$1${folder}/migrations.sql`),
    {
      cwd,
      env: { OWNER_URL: administrator },
    },
  );
});

it('src/migrate.ts of the example runs the migrations and ends', async () => {
  const { database, urlFor } = installation;
  const migrate = (databaseUrl: string): Container =>
    new Container(inject('image'), {
      args: ['src/migrate.ts'],
      secrets: { 'database-url': databaseUrl },
      env: { DATABASE_URL_FILE: '/run/secrets/database-url' },
    });
  expect(await migrate(database.connectionString).ended).toMatchObject({
    code: 0,
    stdout: 'The tables are up to date.\n',
  });
  expect(await psql(database.connectionString, 'select count(*) > 0 from halyard.migrations')).toEqual(['t']);
  expect(await migrate(urlFor({ database: 'missing' })).ended).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('database "missing" does not exist') as unknown,
  });
});
