import { fileURLToPath } from 'node:url';
import { type Clock, type Storage, systemClock, type VectorStore } from '@halyard/contracts';
import { createPgVectorStore } from '@halyard/memory-pgvector';
import { createPostgresStorage } from '@halyard/memory-postgres';
import { dimensions } from './word-embedding.ts';

export interface OpenedStorage {
  readonly storage: Storage;
  /** Finds messages by their meaning, in the same database. */
  readonly vectors: VectorStore;
  /** A readable location without user and password. */
  readonly label: string;
  /**
   * Until it is called again, what is written gets the times of this clock. Undefined: those of the
   * database.
   */
  readonly writeAt: (clock: Pick<Clock, 'now'> | undefined) => void;
  readonly close: () => Promise<void>;
}

/**
 * Opens the database server in `DATABASE_URL`, or else a database embedded in this process, in its
 * own directory.
 *
 * @throws ConfigurationError if another process uses the directory.
 */
export function openStorage(
  databaseUrl = process.env['DATABASE_URL']?.trim() || undefined,
  dataDir: string = fileURLToPath(new URL('../.halyard/', import.meta.url)),
): OpenedStorage {
  let clock: Pick<Clock, 'now'> | undefined;
  let shift = { at: 0, ms: 0 };
  // While the clock stands, that of the database runs on: it must not go back between two calls.
  const clockShiftMs = (): number => {
    const at = clock?.now();
    if (at === undefined) return 0;
    if (at !== shift.at) shift = { at, ms: at - systemClock.now() };
    return shift.ms;
  };
  const storage = createPostgresStorage(
    databaseUrl === undefined ? { dataDir, clockShiftMs } : { connectionString: databaseUrl, clockShiftMs },
  );
  const vectors = createPgVectorStore({ storage, dimensions });
  return {
    storage,
    vectors,
    label: databaseUrl === undefined ? `embedded PostgreSQL in ${dataDir}` : labelOf(databaseUrl),
    writeAt: (next) => {
      clock = next;
    },
    close: async () => {
      await vectors.close();
      await storage.close();
    },
  };
}

function labelOf(databaseUrl: string): string {
  const { host, pathname } = new URL(databaseUrl);
  return `PostgreSQL at ${host}${pathname}`;
}
