import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@halyard/contracts';
import type { Database } from '@halyard/memory-postgres/database';
import { PgBoss } from 'pg-boss';
import { bossDatabase, type OpenedPool } from './boss-database.ts';
import { deadQueue } from './queue-names.ts';

const firstRetryMs = 100;
const longestRetryMs = 5_000;
const week = 7 * 24 * 3_600;

export interface BossOptions {
  readonly database: Database;
  /** Not quoted. */
  readonly schema: string;
  readonly autoMigrate: boolean;
  readonly logger: Logger;
}

export interface OpenBoss {
  readonly boss: PgBoss;
  readonly opened: OpenedPool;
}

/** Starts pg-boss once the database is there, and tries until then. Undefined when it is closed before that. Does not reject. */
export async function openBoss(
  options: BossOptions,
  { hasSchedules, signal }: { readonly hasSchedules: () => boolean; readonly signal: AbortSignal },
): Promise<OpenBoss | undefined> {
  const opened = await options.database.opened();
  for (
    let waitMs = firstRetryMs;
    opened !== undefined && !signal.aborted;
    waitMs = Math.min(waitMs * 2, longestRetryMs)
  ) {
    const boss = newBoss(options, opened, hasSchedules());
    try {
      await boss.start();
      await boss.createQueue(deadQueue, { deleteAfterSeconds: week, retentionSeconds: 4 * week });
      return { boss, opened };
    } catch (error) {
      // The first time processes start at once, one makes the tables, and the others run into them.
      const level = isThereAlready(error) ? 'debug' : 'warn';
      options.logger[level]({ err: error, retryInMs: waitMs }, 'the work queue cannot be opened; it is tried again');
      await stopBoss(boss).catch(() => {});
      await delay(waitMs, undefined, { signal }).catch(() => {});
    }
  }
  return undefined;
}

/** What it is doing is not waited for: the work is not its own. */
export async function stopBoss(boss: PgBoss): Promise<void> {
  await boss.stop({ close: false, graceful: false });
}

function newBoss({ autoMigrate, logger, schema }: BossOptions, opened: OpenedPool, hasSchedules: boolean): PgBoss {
  const boss = new PgBoss({
    db: bossDatabase(opened),
    backend: opened.isShared ? 'postgres' : 'pglite',
    schema,
    migrate: autoMigrate,
    createSchema: autoMigrate,
    schedule: hasSchedules,
    // Nothing here waits for others.
    flowIntervalSeconds: 60,
  });
  boss.on('error', (error) => logger.warn({ err: error }, 'the work queue could not do its housekeeping'));
  boss.on('warning', ({ message }) => logger.debug({}, `the work queue warns: ${message}`));
  return boss;
}

function isThereAlready(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === '23505' || error.code === '42P06');
}
