import { silentLogger } from '@halyard/contracts';
import { afterAll, describe } from 'vitest';
import { serverOpener } from './connection/open-pool.ts';
import { describeConformance } from './testing/conformance.ts';
import { openForTests } from './testing/open-for-test.ts';
import { type ServerDatabase, createServerDatabase } from './testing/server-database.ts';

describe('a PostgreSQL server', () => {
  let server: ServerDatabase;
  afterAll(() => server.remove());
  describeConformance(
    openForTests(async () => {
      server = await createServerDatabase();
      return serverOpener({ connectionString: server.connectionString, maxConnections: 10, logger: silentLogger });
    }),
  );
});
