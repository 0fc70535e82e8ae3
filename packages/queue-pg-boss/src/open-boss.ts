import { setTimeout as delay } from 'node:timers/promises';
import { ConfigurationError, type Logger } from '@halyard/contracts';
import type { Database, OpenedPool } from '@halyard/memory-postgres/database';
import { type Db, PgBoss } from 'pg-boss';

const firstRetryMs = 100;
const longestRetryMs = 5_000;
const weekSeconds = 7 * 24 * 3_600;

/** The pg-boss queue of dead letters. */
export const deadQueue = 'dead';

/** The pg-boss queue of a workflow's jobs. Names in pg-boss cannot contain colons, and workflow ids cannot contain slashes. */
export function jobQueue(workflowId: string): string {
  return `run/${workflowId.replaceAll(':', '/')}`;
}

/** The pg-boss queue of a workflow's schedule ticks. */
export function tickQueue(workflowId: string): string {
  return `tick/${workflowId.replaceAll(':', '/')}`;
}

/** The data of a pg-boss job: of an execution, or of a schedule tick. */
export interface JobData {
  readonly workflowId: string;
  readonly executionId?: string;
  /** The name of the schedule. */
  readonly schedule?: string;
}

/** The columns of pg-boss's own tables that are read directly. */
export interface BossTables {
  job: {
    id: string;
    name: string;
    state: string;
    data: JobData;
    created_on: Date;
    source_created_on: Date | null;
    source_retry_count: number | null;
    source_output: { readonly message?: string; readonly value?: { readonly message?: string } } | null;
  };
}

export interface BossOptions {
  readonly database: Database<BossTables>;
  /** Not quoted. */
  readonly schema: string;
  readonly autoMigrate: boolean;
  readonly logger: Logger;
}

export interface OpenBoss {
  readonly boss: PgBoss;
  readonly opened: OpenedPool;
}

/**
 * Creates the tables of pg-boss, if they are missing, in a database that is open.
 *
 * @throws ConfigurationError when somebody must create them. Other failures are temporary, and {@link openBoss} retries.
 */
export async function createTables(options: BossOptions): Promise<void> {
  const { autoMigrate, database, schema } = options;
  const opened = await database.whenOpened();
  if (opened === undefined) return;
  const boss = createBoss(options, opened, false);
  try {
    if (await boss.isInstalled()) return;
    if (!autoMigrate) throw missingTables(schema, '`autoMigrate` is false');
    await boss.start();
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    if (hasCode(error, insufficientPrivilege)) throw missingTables(schema, 'this role may not create them', error);
  } finally {
    await stopBoss(boss).catch(() => {});
  }
}

const insufficientPrivilege = '42501';

function missingTables(schema: string, why: string, cause?: unknown): ConfigurationError {
  return new ConfigurationError(
    `The tables of the work queue do not exist in the schema "${schema}", and ${why}: run \`npx pg-boss migrate --schema ${schema}\` with a role that may create them`,
    { cause },
  );
}

/** Starts pg-boss once the database is open, and retries when that fails. Undefined when the queue is closed before that. Does not reject. */
export async function openBoss(
  options: BossOptions,
  { hasSchedules, signal }: { readonly hasSchedules: () => boolean; readonly signal: AbortSignal },
): Promise<OpenBoss | undefined> {
  const opened = await options.database.whenOpened();
  if (opened === undefined) return undefined;
  for (let waitMs = firstRetryMs; !signal.aborted; waitMs = Math.min(waitMs * 2, longestRetryMs)) {
    const boss = createBoss(options, opened, hasSchedules());
    try {
      await boss.start();
      await boss.createQueue(deadQueue, { deleteAfterSeconds: weekSeconds, retentionSeconds: 4 * weekSeconds });
      return { boss, opened };
    } catch (error) {
      // When several processes start for the first time, one creates the tables and the others fail once.
      const level = alreadyExists(error) ? 'debug' : 'warn';
      options.logger[level]({ err: error, retryInMs: waitMs }, 'The work queue cannot be opened; retrying');
      await stopBoss(boss).catch(() => {});
      await delay(waitMs, undefined, { signal }).catch(() => {});
    }
  }
  return undefined;
}

/** Stops pg-boss at once. Executions do not run inside pg-boss, so there is nothing to wait for. */
export async function stopBoss(boss: PgBoss): Promise<void> {
  await boss.stop({ close: false, graceful: false });
}

/** pg-boss on an open database; not started. */
export function createBoss(
  { autoMigrate, logger, schema }: BossOptions,
  opened: OpenedPool,
  hasSchedules: boolean,
): PgBoss {
  const boss = new PgBoss({
    db: toBossDatabase(opened),
    backend: opened.isShared ? 'postgres' : 'pglite',
    schema,
    migrate: autoMigrate,
    createSchema: autoMigrate,
    schedule: hasSchedules,
    // No job here depends on another one.
    flowIntervalSeconds: 60,
  });
  boss.on('error', (error) => logger.warn({ err: error }, 'The maintenance of the work queue failed'));
  boss.on('warning', ({ message }) => logger.debug({}, `The work queue reports a warning: ${message}`));
  return boss;
}

function alreadyExists(error: unknown): boolean {
  return hasCode(error, '23505') || hasCode(error, '42P06');
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

type PoolClient = Awaited<ReturnType<OpenedPool['pool']['connect']>>;
type QueryResult = { readonly rows?: readonly unknown[] };

/** The pool, with the interface that pg-boss requires. */
function toBossDatabase({ pool }: OpenedPool): Db {
  return {
    executeSql: async (text, values) => {
      const client = await pool.connect();
      let isBroken = false;
      try {
        return { rows: await queryRows(client, text, values) };
      } catch (error) {
        // The text may have begun a transaction before it failed.
        await client.query('rollback', []).catch(() => {
          isBroken = true;
        });
        throw error;
      } finally {
        client.release(isBroken ? true : undefined);
      }
    },
  };
}

/** The rows of all statements in a text. */
async function queryRows(client: PoolClient, text: string, values: readonly unknown[] = []): Promise<unknown[]> {
  const result: QueryResult | readonly QueryResult[] = await client.query<unknown>(text, [...values]);
  return (isList(result) ? result : [result]).flatMap(({ rows = [] }) => rows);
}

function isList(result: QueryResult | readonly QueryResult[]): result is readonly QueryResult[] {
  return Array.isArray(result);
}
