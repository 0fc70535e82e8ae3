import { silentLogger, type Storage } from '@halyard/contracts';
import { afterAll, beforeAll } from 'vitest';
import type { DatabaseOpener, OpenedPool } from '../connection/database.ts';
import { assembleStorage } from '../postgres-storage.ts';
import { emptyTables } from './empty-tables.ts';

/** A storage for the tests of a file, with a clock that they can move. */
export interface StorageForTests {
  readonly storage: Storage;
  readonly advance: (ms: number) => void;
  /** The database's time. */
  readonly now: () => number;
  /** Deletes all rows. */
  readonly empty: () => Promise<void>;
}

export interface TestDatabase extends StorageForTests {
  /**
   * Another storage on the same connections, as after a restart. Closing it leaves the connections
   * open.
   */
  readonly reopen: () => Storage;
  readonly query: (text: string, values?: readonly unknown[]) => Promise<readonly unknown[]>;
}

/** Opens the database before the tests of the file or block, and closes it after them. */
export function openForTests(opener: () => Promise<DatabaseOpener>): TestDatabase {
  let shiftMs = 0;
  let opened: OpenedPool;
  let storage: Storage;
  beforeAll(async () => {
    const { open, openTimeoutMs } = await opener();
    const openOnce = async (signal: AbortSignal): Promise<OpenedPool> => {
      opened = await open(signal);
      return opened;
    };
    storage = assembleStorage({ open: openOnce, openTimeoutMs }, { logger: silentLogger, clockShiftMs: () => shiftMs });
    await storage.executions.backlog(['order'], 1);
  });
  afterAll(() => storage.close());

  const query = async (text: string, values: readonly unknown[] = []): Promise<readonly unknown[]> => {
    const client = await opened.pool.connect();
    try {
      return (await client.query(text, values)).rows;
    } finally {
      client.release();
    }
  };
  return {
    get storage() {
      return storage;
    },
    advance: (ms) => {
      shiftMs += ms;
    },
    // oxlint-disable-next-line halyard/no-wall-clock -- the database runs on this machine
    now: () => Date.now() + shiftMs,
    empty: () => emptyTables(query),
    query,
    reopen: () => {
      const open = async (): Promise<OpenedPool> => ({ ...opened, close: async () => {} });
      return assembleStorage({ open, openTimeoutMs: 600_000 }, { logger: silentLogger, clockShiftMs: () => shiftMs });
    },
  };
}
