import { checkOptionNames, ConfigurationError, type OptionNames } from '@halyard/contracts';
import { type AdapterDatabaseOptions, consoleLogger, openAdapterDatabase } from '@halyard/memory-postgres/database';
import type { BossTables } from './open-boss.ts';
import { PgBossQueue } from './pg-boss-queue.ts';
import type { WorkflowLimits } from './slots.ts';

/** Schema names that need no quoting in SQL, short enough for the names that pg-boss derives from them. */
const schemaName = /^[a-z_][a-z0-9_]{0,49}$/;

/** Where the database is: that of a storage, or one of its own. The tables are in the schema `schema`, by default `halyard_queue`. */
export type PgBossQueueOptions = AdapterDatabaseOptions & {
  /** How many executions run at a time in this process. Default: 256. */
  readonly concurrency?: number;
  /** Limits of this process for single workflows, by workflow id. */
  readonly workflows?: Readonly<Record<string, WorkflowLimits>>;
  /** How many executions may wait in the queue, of all processes, before new ones are refused. Default: 100 000. */
  readonly maxWaiting?: number;
  /** How often to poll for work whose notification was not received, in milliseconds. Default: 5000. */
  readonly pollMs?: number;
};

/**
 * Creates a work queue on pg-boss, for processes that share a database. It connects in the background once a runtime or server starts it, keeps trying while the database is
 * down, and is closed with the runtime or server.
 *
 * @throws ConfigurationError when the options are invalid.
 */
export function createPgBossQueue(options: PgBossQueueOptions): PgBossQueue {
  checkOptionNames('createPgBossQueue', options, optionNames);
  const { concurrency = 256, logger = consoleLogger, maxWaiting = 100_000, pollMs = 5_000, workflows = {} } = options;
  const { autoMigrate = true, schema = 'halyard_queue' } = options;
  if (!schemaName.test(schema))
    throw new ConfigurationError(`"schema" of the work queue must match ${schemaName.source}: "${schema}"`);
  checkCount('concurrency', concurrency);
  checkCount('maxWaiting', maxWaiting);
  checkCount('pollMs', pollMs);
  for (const [id, limits] of Object.entries(workflows)) checkLimits(id, limits);
  // pg-boss creates and migrates its tables itself.
  const migrations = { table: 'migrations', migrations: [], printedBy: '' };
  const database = openAdapterDatabase<BossTables>({ ...options, schema, logger }, migrations);
  // oxlint-disable-next-line halyard/no-wall-clock -- rate limits apply to this process only
  const now = (): number => performance.now();
  return new PgBossQueue({ database, schema, autoMigrate, logger, concurrency, workflows, maxWaiting, pollMs, now });
}

const optionNames: OptionNames<PgBossQueueOptions> = {
  autoMigrate: true,
  concurrency: true,
  connectionString: true,
  dataDir: true,
  fsync: true,
  logger: true,
  maxConnections: true,
  maxWaiting: true,
  pollMs: true,
  pool: true,
  schema: true,
  storage: true,
  workflows: true,
};

function checkLimits(id: string, { concurrency, rateLimit }: WorkflowLimits): void {
  if (concurrency !== undefined) checkCount(`workflows["${id}"].concurrency`, concurrency);
  if (rateLimit === undefined) return;
  checkCount(`workflows["${id}"].rateLimit.max`, rateLimit.max);
  checkCount(`workflows["${id}"].rateLimit.windowMs`, rateLimit.windowMs);
}

function checkCount(name: string, value: number): void {
  if (!Number.isInteger(value) || value < 1)
    throw new ConfigurationError(`"${name}" of the work queue must be a whole number of at least 1: ${value}`);
}
