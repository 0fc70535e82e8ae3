import type { TestProject } from 'vitest/node';
import { startPostgresServer } from '../../../packages/memory-postgres/src/testing/postgres-server.ts';

/** Starts a PostgreSQL server before the tests of a project, and removes it after them. */
export default async function startPostgres({ provide }: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgresServer();
  provide('connectionString', server.connectionString);
  return server.remove;
}
