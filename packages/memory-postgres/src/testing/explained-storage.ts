import { silentLogger, type Storage } from '@halyard/contracts';
import { Pool } from 'pg';
import { createPostgresStorage } from '../postgres-storage.ts';
import { createServerDatabase } from './server-database.ts';

/** A storage on a server that reports its query plans. */
export interface ExplainedStorage {
  readonly storage: Storage;
  /** The pool, with one connection. */
  readonly pool: Pool;
  /** The plans of the queries in `work`, including those inside SQL functions. */
  readonly plansOf: (work: () => Promise<unknown>) => Promise<string>;
  readonly close: () => Promise<void>;
}

/** @param fill SQL that fills the tables. */
export async function openExplainedStorage(fill: string): Promise<ExplainedStorage> {
  const server = await createServerDatabase();
  const pool = new Pool({ connectionString: server.connectionString, max: 1 });
  const notices: string[] = [];
  pool.on('connect', (client) => client.on('notice', ({ message }) => notices.push(message ?? '')));
  const storage = createPostgresStorage({ pool, logger: silentLogger });
  await storage.executions.backlog(['order'], 1);
  await pool.query(fill);
  await pool.query('vacuum analyze');
  await pool.query(`load 'auto_explain';
    set auto_explain.log_min_duration = 0; set auto_explain.log_nested_statements = on; set auto_explain.log_level = notice;
    set client_min_messages = notice`);
  return {
    storage,
    pool,
    plansOf: async (work) => {
      notices.length = 0;
      await work();
      return notices.join('\n');
    },
    close: async () => {
      await storage.close();
      await pool.end();
      await server.remove();
    },
  };
}
