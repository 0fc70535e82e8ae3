import { silentLogger } from '@halyard/contracts';
import { createPostgresStorage } from '@halyard/memory-postgres';
import { expect, it } from 'vitest';
import { createPgVectorStore } from './pgvector-store.ts';

it('rejects invalid options', () => {
  const where = { connectionString: 'postgres://127.0.0.1/nowhere' };
  expect(() => createPgVectorStore({ ...where, dimensions: 4_001 })).toThrow(
    '"dimensions" is 4001, but must be a whole number from 1 to 4000',
  );
  expect(() => createPgVectorStore({ ...where, dimensions: 3, m: 1 })).toThrow('"m" is 1');
  expect(() => createPgVectorStore({ ...where, dimensions: 3, m: 40 })).toThrow(
    '"efConstruction" is 64, but must be a whole number from 80 to 1000',
  );
  expect(() => createPgVectorStore({ ...where, dimensions: 3, efSearch: 0.5 })).toThrow('"efSearch" is 0.5');
  expect(() => createPgVectorStore({ connectionString: 'localhost', dimensions: 3 })).toThrow(
    'connectionString must be the URL of a PostgreSQL server',
  );
  expect(() => createPgVectorStore({ ...where, schema: 'No', dimensions: 3 })).toThrow('is not a valid schema name');
});

it('rejects a storage that createPostgresStorage did not return', async () => {
  const storage = createPostgresStorage({ connectionString: 'postgres://127.0.0.1:1/nowhere', logger: silentLogger });
  expect(() => createPgVectorStore({ storage: { ...storage }, dimensions: 3 })).toThrow(
    'the object that createPostgresStorage returned',
  );
  await storage.close();
});
