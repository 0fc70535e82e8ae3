import { randomUUID } from 'node:crypto';
import { ConfigurationError, silentLogger, type Storage } from '@halyard/contracts';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createPostgresStorage } from '../postgres-storage.ts';
import { createServerDatabase, type ServerDatabase } from '../testing/server-database.ts';

const role = `reader_${randomUUID().replaceAll('-', '')}`;

let server: ServerDatabase;
const opened: Storage[] = [];
beforeEach(async () => {
  server = await createServerDatabase();
  await (await open()).close();
});
afterEach(async () => {
  for (const storage of opened.splice(0)) await storage.close();
  await server.remove();
});

it('is available to a role that may write, and leaves nothing behind', async () => {
  const storage = await open();
  for (let time = 0; time < 5; time += 1) await expect(storage.check()).resolves.toBeUndefined();
  expect(await server.query('select 1 from halyard.streams')).toEqual([]);
});

it.each<[string, string, string]>([
  [
    'may only read',
    'grant usage on schema halyard to ROLE; grant select on all tables in schema halyard to ROLE',
    'permission denied for table streams',
  ],
  [
    'may not call the functions',
    'grant usage on schema halyard to ROLE; grant all on all tables in schema halyard to ROLE; revoke execute on all functions in schema halyard from public',
    'permission denied for function append_to_stream',
  ],
])('is misconfigured for a role that %s', async (_, grants, says) => {
  await server.query(`create role ${role} login; ${grants.replaceAll('ROLE', role)}`);
  try {
    const storage = await open({ user: role, autoMigrate: false });
    await expect(storage.check()).rejects.toThrow(ConfigurationError);
    await expect(storage.check()).rejects.toThrow(`${says}. Give the role`);
    await storage.close();
  } finally {
    await server.query(`drop owned by ${role}; drop role ${role}`);
  }
});

it('is misconfigured in a schema that was renamed', async () => {
  await server.query('alter schema halyard rename to other');
  const storage = await open({ schema: 'other' });
  await expect(storage.check()).rejects.toThrow(ConfigurationError);
  await expect(storage.check()).rejects.toThrow('relation "halyard.streams" does not exist. The migrations');
});

it('is misconfigured in a schema that was renamed, also while another has its old name', async () => {
  await server.query('alter schema halyard rename to other');
  await expect((await open()).check()).resolves.toBeUndefined();
  const storage = await open({ schema: 'other' });
  await expect(storage.check()).rejects.toThrow(ConfigurationError);
  await expect(storage.check()).rejects.toThrow('The functions of the schema "other" use the tables of another schema');
});

it('is unavailable, which a failover ends, while the database can only be read', async () => {
  const name = new URL(server.connectionString).pathname.slice(1);
  await server.query(`alter database ${name} set default_transaction_read_only = on`);
  const storage = await open();
  await expect(storage.check()).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE', cause: { code: '25006' } });
});

async function open({
  user = 'postgres',
  ...options
}: { readonly user?: string; readonly schema?: string; readonly autoMigrate?: boolean } = {}): Promise<Storage> {
  const connectionString = server.connectionString.replace('postgres@', `${user}@`);
  const storage = createPostgresStorage({ connectionString, logger: silentLogger, ...options });
  opened.push(storage);
  await storage.opened?.();
  return storage;
}
