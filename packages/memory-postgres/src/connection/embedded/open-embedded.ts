import { join } from 'node:path';
import { ConfigurationError } from '@halyard/contracts';
import type { DatabaseOpener, OpenedPool } from '../database.ts';
import { lockDirectory } from './directory-lock.ts';
import { EmbeddedPool } from './embedded-pool.ts';

/** Creating a database takes seconds of computing. */
const openTimeoutMs = 60_000;

/**
 * Opens a database in a directory, for this process alone.
 *
 * @throws ConfigurationError at once when another process uses the directory.
 */
export function embeddedOpener(dataDir: string): DatabaseOpener {
  const unlock = lockDirectory(dataDir);
  const open = async (): Promise<OpenedPool> => {
    try {
      import.meta.resolve('@electric-sql/pglite');
    } catch (cause) {
      unlock();
      throw new ConfigurationError('A database in a directory needs a package: npm install @electric-sql/pglite', {
        cause,
      });
    }
    return openEmbedded(join(dataDir, 'database'), unlock);
  };
  return { open, openTimeoutMs };
}

/** Opens a database in memory, for tests. */
export function inMemoryOpener(): DatabaseOpener {
  return { open: async () => openEmbedded('memory://', () => {}), openTimeoutMs };
}

function openEmbedded(dataDir: string, onClosed: () => void): OpenedPool {
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
