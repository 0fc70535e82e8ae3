import { ConfigurationError } from '@halyard/contracts';
import { type AdapterDatabaseOptions, consoleLogger, openAdapterDatabase } from '@halyard/memory-postgres/database';
import { PgBossQueue } from './pg-boss-queue.ts';
import type { WorkflowLimits } from './places.ts';

/** What pg-boss and this package both write without change. */
const schemaName = /^[a-z_][a-z0-9_]{0,49}$/;

/** Where the database is: that of a storage, or one of its own. The tables are in a schema of their own: `schema`, default `halyard_queue`. */
export type PgBossQueueOptions = AdapterDatabaseOptions & {
  /** Executions that run at a time in this process; default 256. */
  readonly concurrency?: number;
  /** What this process takes of single workflows, by their ids. */
  readonly workflows?: Readonly<Record<string, WorkflowLimits>>;
  /** Executions that wait, in all processes, before new ones are refused; default 100 000. */
  readonly maxWaiting?: number;
  /** How often it looks for work that no notification told of; default 5000. */
  readonly pollMs?: number;
};

/**
 * A work queue on pg-boss, for processes that share a database. It opens by itself once a runtime or server starts it, keeps trying while the database is down,
 * and is closed with them.
 *
 * @throws ConfigurationError when the options cannot be right.
 */
export function createPgBossQueue(options: PgBossQueueOptions): PgBossQueue {
  const { concurrency = 256, logger = consoleLogger, maxWaiting = 100_000, pollMs = 5_000, workflows = {} } = options;
  const { autoMigrate = true, schema = 'halyard_queue' } = options;
  if (!schemaName.test(schema))
    throw new ConfigurationError(`"schema" of the work queue must match ${schemaName.source}: "${schema}"`);
  checkCount('concurrency', concurrency);
  checkCount('maxWaiting', maxWaiting);
  checkCount('pollMs', pollMs);
  for (const [id, limits] of Object.entries(workflows)) checkLimits(id, limits);
  // pg-boss makes its tables itself.
  const migrations = { table: 'migrations', migrations: [], printedBy: '' };
  const database = openAdapterDatabase({ ...options, schema, logger }, migrations);
  // oxlint-disable-next-line halyard/no-wall-clock -- rates are of this process alone
  const now = (): number => performance.now();
  return new PgBossQueue({ database, schema, autoMigrate, logger, concurrency, workflows, maxWaiting, pollMs, now });
}

function checkLimits(id: string, { concurrency, rateLimit }: WorkflowLimits): void {
  if (concurrency !== undefined) checkCount(`workflows["${id}"].concurrency`, concurrency);
  if (rateLimit === undefined) return;
  checkCount(`workflows["${id}"].rateLimit.max`, rateLimit.max);
  checkCount(`workflows["${id}"].rateLimit.windowMs`, rateLimit.windowMs);
}

function checkCount(name: string, value: number): void {
  if (!Number.isInteger(value) || value < 1)
    throw new ConfigurationError(`"${name}" of the work queue must be a whole number from 1: ${value}`);
}
