import { createPostgresStorage } from '@halyard/memory-postgres';
import { afterAll, describe } from 'vitest';
import {
  createServerDatabase,
  type ServerDatabase,
} from '../../../../../memory-postgres/src/testing/server-database.ts';
import { testChangedCalls } from '../../../testing/changed-calls.ts';

describe('an answer to an approval request, stored on a PostgreSQL server', () => {
  let database: ServerDatabase | undefined;
  // Registered first, it runs last.
  afterAll(() => database?.remove());
  testChangedCalls(async () => {
    database = await createServerDatabase();
    return createPostgresStorage({ connectionString: database.connectionString });
  });
});
