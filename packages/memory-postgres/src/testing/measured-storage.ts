import { silentLogger, type Storage } from '@halyard/contracts';
import { Pool } from 'pg';
import { createPostgresStorage } from '../postgres-storage.ts';
import type { ServerDatabase } from './server-database.ts';

/** The rows that statements have read. */
export interface Reads {
  /** Rows and index entries of tables, also those that a filter has removed. */
  readonly rows: number;
  /** Pages, from the cache or the disk; a page that is read twice counts twice. */
  readonly pages: number;
}

/** A storage on a server that measures what statements read. */
export interface MeasuredStorage {
  readonly storage: Storage;
  /** The rows that the statements of `work` read, including those inside SQL functions. */
  readonly readsOf: (work: () => Promise<unknown>) => Promise<Reads>;
  /** The plans of the last `work`, as JSON. */
  readonly plans: () => string;
  readonly close: () => Promise<void>;
}

/** A node of a plan of PostgreSQL. */
interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly PlanNode[];
}

/**
 * @param server an empty database, which is removed when the storage is closed.
 * @param fill statements that fill the tables.
 */
export async function openMeasuredStorage(server: ServerDatabase, fill: readonly string[]): Promise<MeasuredStorage> {
  const pool = new Pool({ connectionString: server.connectionString, max: 1 });
  const notices: string[] = [];
  pool.on('connect', (client) => client.on('notice', ({ message }) => notices.push(message ?? '')));
  const storage = createPostgresStorage({ pool, logger: silentLogger });
  await storage.opened?.();
  await pool.query('set statement_timeout = 0');
  for (const statement of fill) await pool.query(statement);
  await pool.query('vacuum analyze');
  await pool.query(`load 'auto_explain'; reset statement_timeout;
    set auto_explain.log_min_duration = 0; set auto_explain.log_nested_statements = on; set auto_explain.log_level = notice;
    set auto_explain.log_analyze = on; set auto_explain.log_timing = off; set auto_explain.log_buffers = on; set auto_explain.log_format = json;
    set client_min_messages = notice`);
  return {
    storage,
    readsOf: async (work) => {
      notices.length = 0;
      await work();
      return notices.map(readsOfPlan).reduce(add, { rows: 0, pages: 0 });
    },
    plans: () => notices.join('\n'),
    close: async () => {
      await storage.close();
      await pool.end();
      await server.remove();
    },
  };
}

function readsOfPlan(notice: string): Reads {
  const json = notice.slice(notice.indexOf('{'));
  if (!notice.includes('plan:')) return { rows: 0, pages: 0 };
  return readsOfNode((JSON.parse(json) as { readonly Plan: PlanNode }).Plan);
}

function readsOfNode(node: PlanNode): Reads {
  const parts = node.Plans ?? [];
  // A call of a function has the pages of its statements, which have plans of their own.
  const isCall = ['Function Scan', 'Result', 'ProjectSet'].includes(node['Node Type']);
  const pages = isCall ? 0 : pagesOf(node) - parts.map(pagesOf).reduce((sum, count) => sum + count, 0);
  const isRead = node['Relation Name'] !== undefined || node['Index Name'] !== undefined;
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  const rows = isRead ? (node['Actual Rows'] + removed) * node['Actual Loops'] : 0;
  return parts.map(readsOfNode).reduce(add, { rows, pages: Math.max(pages, 0) });
}

function pagesOf(node: PlanNode): number {
  return node['Shared Hit Blocks'] + node['Shared Read Blocks'];
}

function add(one: Reads, other: Reads): Reads {
  return { rows: one.rows + other.rows, pages: one.pages + other.pages };
}
