import type { TestProject } from 'vitest/node';
import { startPostgresServer } from './postgres-server.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The connection string of the server that the test files of a run share. */
    readonly postgres: string;
  }
}

/** Starts the server that the test files of a run share, before the first of them. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgresServer({ fsync: false });
  project.provide('postgres', server.connectionString);
  return () => server.remove();
}
