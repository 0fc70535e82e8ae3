import { setTimeout as delay } from 'node:timers/promises';
import { silentLogger } from '@halyard/contracts';
import type { PostgresPool } from 'kysely';
import { appliedMigrations, findLastNumber, migrate } from './migrations/migrate.ts';
import type { AppliedMigration, MigrationSet, PendingMigration } from './migrations/migration.ts';
import { type DatabasePlace, createOpener } from './postgres-storage.ts';

/** The database whose tables are migrated, and their schema. */
export type MigrationDatabase = DatabasePlace & {
  /** The schema that contains the tables. Default: `halyard`. */
  readonly schema?: string;
};

/** Which migrations a schema has, and which it lacks. */
export interface MigrationStatus {
  /**
   * The migrations that were run, oldest first; also those of a later version, which this version
   * leaves as they are.
   */
  readonly applied: readonly AppliedMigration[];
  /** The migrations that this version needs and the schema lacks, oldest first. */
  readonly pending: readonly PendingMigration[];
}

/** A migration waits a second for each lock (`migrate`). */
const lockAttempts = 30;
const lockRetryMs = 500;
/** SQLSTATE: another transaction has locked a table for longer than a migration waits. */
const lockNotAvailable = '55P03';

/**
 * Reads which migrations a schema has. Changes nothing.
 *
 * @throws ConfigurationError when the database cannot be opened until somebody acts.
 */
export function migrationStatus(database: MigrationDatabase, set: MigrationSet): Promise<MigrationStatus> {
  return withPool(database, (pool) => readStatus(pool, set, database.schema ?? 'halyard'));
}

/**
 * Runs the migrations that a schema lacks, in one transaction: all of them, or none. Tries again
 * when another transaction has locked a table, for about 45 seconds.
 *
 * @returns those that this call or another process has run in the meantime.
 * @throws ConfigurationError when the database cannot be opened until somebody acts.
 */
export function runMigrations(database: MigrationDatabase, set: MigrationSet): Promise<readonly PendingMigration[]> {
  const { schema = 'halyard' } = database;
  return withPool(database, async (pool) => {
    const { pending } = await readStatus(pool, set, schema);
    if (pending.length > 0) await migrateUnlocked(pool, set, schema);
    return pending;
  });
}

async function migrateUnlocked(pool: PostgresPool, set: MigrationSet, schema: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await migrate(pool, set, { schema, autoMigrate: true });
      return;
    } catch (error) {
      const isLocked = error instanceof Error && 'code' in error && error.code === lockNotAvailable;
      if (!isLocked || attempt === lockAttempts) throw error;
      await delay(lockRetryMs);
    }
  }
}

async function readStatus(pool: PostgresPool, set: MigrationSet, schema: string): Promise<MigrationStatus> {
  const client = await pool.connect();
  try {
    const applied = await appliedMigrations(client, set, schema);
    const pending = set.migrations.filter(({ number }) => number > findLastNumber(applied));
    return { applied, pending: pending.map(({ name, number }) => ({ number, name })) };
  } finally {
    client.release();
  }
}

/** Opens the database for one piece of work. */
async function withPool<Result>(
  { schema, ...place }: MigrationDatabase,
  work: (pool: PostgresPool) => Promise<Result>,
): Promise<Result> {
  // Migrations set timeouts of their own.
  const opener = createOpener({ ...place, logger: silentLogger, ...(schema !== undefined && { schema }) });
  try {
    const opened = await opener.open(new AbortController().signal);
    const stopListening = opened.onError(() => {});
    try {
      return await work(opened.pool);
    } finally {
      stopListening();
      await opened.close();
    }
  } catch (error) {
    throw opener.explain?.(error) ?? error;
  }
}
