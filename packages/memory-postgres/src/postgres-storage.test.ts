import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { ConfigurationError, silentLogger } from '@halyard/contracts';
import { expect, it } from 'vitest';
import { assembleStorage, consoleLogger, createPostgresStorage } from './postgres-storage.ts';

it('rejects invalid options', () => {
  expect(() => createPostgresStorage({ dataDir: '/nowhere', schema: 'Halyard' })).toThrow('is not a valid schema name');
});

it.each([
  ['localhost', 'must be the URL of a PostgreSQL server: postgres://user:password@host:5432/database'],
  ['mysql://root:topsecret@localhost/shop', 'postgres://user:password@host:5432/database, not mysql://…'],
  ['postgres://root:topsecret@localhost:5432:1/shop', 'must be the URL of a PostgreSQL server'],
  [
    'postgres://root:topsecret@localhost/shop?sslmode=allow',
    'unknown sslmode "allow". Use one of disable, prefer, require, verify-ca, verify-full, no-verify',
  ],
])('rejects the connection string %s without repeating its password', (connectionString, says) => {
  const create = (): unknown => createPostgresStorage({ connectionString });
  expect(create).toThrow(ConfigurationError);
  expect(create).toThrow(says);
  expect(create).not.toThrow('topsecret');
});

it.each([
  'postgres://ada@/shop?host=/var/run/postgresql',
  'postgresql://ada@%2Fvar%2Frun%2Fpostgresql/shop?sslmode=disable',
  'socket:/var/run/postgresql?db=shop',
])('accepts the connection string %s', async (connectionString) => {
  const storage = createPostgresStorage({ connectionString, logger: silentLogger });
  await expect(storage.close()).resolves.toBeUndefined();
});

it('can be closed before its database was reachable, also with a watcher', async () => {
  const open = (): Promise<never> => Promise.reject(new TypeError('connection refused'));
  const storage = assembleStorage({ open, openTimeoutMs: 10 }, { logger: silentLogger });
  storage.executions.watch('run', () => {});
  await expect(storage.executions.find('anyone', 'run')).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
  await expect(storage.check()).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
  await storage.close();
  await expect(storage.executions.find('anyone', 'run')).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
});

it('warns once with the reason when no logger is passed and the database cannot be opened', async () => {
  const open = (): Promise<never> => Promise.reject(new ConfigurationError('a package is missing'));
  const warned = once(process, 'warning');
  const storage = assembleStorage({ open, openTimeoutMs: 10 }, {});
  const [warning] = await warned;
  await storage.close();
  expect(warning).toMatchObject({ name: 'HalyardStorageWarning', message: 'a package is missing' });
});

it('warns with the reason of a failure, once, and without one where there is none', async () => {
  const warnings: string[] = [];
  const keep = ({ message }: Error): void => void warnings.push(message);
  process.on('warning', keep);
  consoleLogger.warn({}, 'No reason');
  consoleLogger.warn({ err: new TypeError('why') }, 'It failed');
  consoleLogger.warn({ err: new TypeError('why') }, 'why');
  await setImmediate();
  process.off('warning', keep);
  expect(warnings).toEqual(['No reason', 'It failed: why', 'why']);
});
