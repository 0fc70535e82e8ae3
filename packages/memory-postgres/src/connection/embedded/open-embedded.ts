import { join } from 'node:path';
import { ConfigurationError } from '@halyard/contracts';
import type { DatabaseOpener, OpenedPool } from '../database.ts';
import { lockDirectory } from './directory-lock.ts';
import { EmbeddedPool } from './embedded-pool.ts';

/** Creating a database takes seconds of computing. */
const patienceMs = 60_000;

/**
 * A database of this process alone, in a directory.
 *
 * @throws ConfigurationError at once when another process has the directory.
 */
export function embeddedOpener(dataDir: string): DatabaseOpener {
  const unlock = lockDirectory(dataDir);
  const open = async (): Promise<OpenedPool> => {
    try {
      import.meta.resolve('@electric-sql/pglite');
    } catch (cause) {
      unlock();
      throw new ConfigurationError('A database in a directory needs the package @electric-sql/pglite: install it', {
        cause,
      });
    }
    return embedded(join(dataDir, 'database'), unlock);
  };
  return { open, patienceMs };
}

/** A database in memory, for tests. */
export function inMemoryOpener(): DatabaseOpener {
  return { open: async () => embedded('memory://', () => {}), patienceMs };
}

function embedded(dataDir: string, onClosed: () => void): OpenedPool {
  const pool = new EmbeddedPool(dataDir);
  return {
    pool,
    isShared: false,
    canListen: false,
    onError: () => () => {},
    close: async () => {
      await pool.end();
      onClosed();
    },
  };
}
