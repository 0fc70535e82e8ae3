import { executionStoreCases } from '@halyard/conformance';
import { afterAll, describe, expect, it } from 'vitest';
import { serverOpener } from './open-pool.ts';
import { openForTests } from './testing/open-for-test.ts';
import { type PostgresServer, startPostgresServer } from './testing/postgres-server.ts';

describe('the executions of a PostgreSQL server', () => {
  let server: PostgresServer;
  afterAll(() => server.remove());
  const database = openForTests(async () => {
    server = await startPostgresServer();
    return serverOpener(server.connectionString, 10);
  });

  it.each(executionStoreCases)('$name', async ({ run }) => {
    await database.empty();
    const { advance, storage } = database;
    await expect(run({ store: storage.executions, advance })).resolves.toBeUndefined();
  });
});
