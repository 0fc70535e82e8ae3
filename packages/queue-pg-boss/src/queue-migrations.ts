import { createRequire } from 'node:module';
import { ConfigurationError, silentLogger } from '@halyard/contracts';
import {
  type MigrationDatabase,
  type MigrationStatus,
  openAdapterDatabase,
  type PendingMigration,
} from '@halyard/memory-postgres/database';
import { getConstructionPlans, getMigrationPlans, type PgBoss } from 'pg-boss';
import { type BossTables, createBoss, stopBoss } from './open-boss.ts';

const defaultSchema = 'halyard_queue';

/**
 * Reads, prints and runs the migrations of the queue's tables, for servers that may not change the schema (`autoMigrate: false`). They are those of pg-boss, whose tables
 * have a version. A status contains only versions: that of the tables is applied, and the one that this pg-boss needs is pending if it is later.
 */
export const queueMigrations: {
  /**
   * The statements as one script. It contains its own transaction.
   *
   * @param options `after`: the version of the tables; `select version from halyard_queue.version` returns it. `schema`: default `halyard_queue`.
   */
  readonly sql: (options?: { readonly schema?: string; readonly after?: number }) => string;
  /** Which version the tables have. Changes nothing. Rejects like `migrations.status` of `@halyard/memory-postgres`. */
  readonly status: (database: MigrationDatabase) => Promise<MigrationStatus>;
  /** Creates or migrates the tables, in one transaction. @returns the version, if they were changed. Rejects like `migrations.run` of `@halyard/memory-postgres`. */
  readonly run: (database: MigrationDatabase) => Promise<readonly PendingMigration[]>;
} = {
  sql: ({ after = 0, schema = defaultSchema } = {}) =>
    after === 0 ? getConstructionPlans(schema) : getMigrationPlans(schema, after),
  status: (database) => withBoss(database, readStatus),
  run: (database) =>
    withBoss(database, async (boss) => {
      const { pending } = await readStatus(boss);
      if (pending.length > 0) await boss.start();
      return pending;
    }),
};

async function readStatus(boss: PgBoss): Promise<MigrationStatus> {
  const version = (await boss.isInstalled()) ? await boss.schemaVersion() : null;
  const needed = neededVersion();
  return {
    applied: version === null ? [] : [toMigration(version)],
    pending: version === null || version < needed ? [toMigration(needed)] : [],
  };
}

function toMigration(version: number): PendingMigration {
  return { number: version, name: 'pg-boss' };
}

/** The version of the tables that this pg-boss needs: its own command line reads it there too. */
function neededVersion(): number {
  const manifest = createRequire(import.meta.url)('pg-boss/package.json') as {
    readonly pgboss: { readonly schema: number };
  };
  return manifest.pgboss.schema;
}

/** Opens the database for one piece of work. */
async function withBoss<Result>(
  { schema = defaultSchema, ...place }: MigrationDatabase,
  work: (boss: PgBoss) => Promise<Result>,
): Promise<Result> {
  const migrations = { table: 'migrations', migrations: [], printedBy: '' };
  const database = openAdapterDatabase<BossTables>({ ...place, schema, logger: silentLogger }, migrations);
  try {
    await database.firstAttempt();
    await database.check();
    const opened = await database.whenOpened();
    if (opened === undefined) throw new ConfigurationError('The database was closed while it was opening');
    const boss = createBoss({ database, schema, autoMigrate: true, logger: silentLogger }, opened, false);
    try {
      return await work(boss);
    } finally {
      await stopBoss(boss).catch(() => {});
    }
  } finally {
    await database.close();
  }
}
