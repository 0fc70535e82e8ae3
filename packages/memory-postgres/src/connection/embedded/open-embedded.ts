import { join } from 'node:path';
import type { DatabaseOpener, OpenedPool } from '../database.ts';
import { requirePackage } from '../installed-package.ts';
import { explainEmbeddedFailure } from '../opening-failure.ts';
import { lockDirectory } from './directory-lock.ts';
import { EmbeddedPool } from './embedded-pool.ts';

/** Creating a database takes seconds of computing. */
const openTimeoutMs = 60_000;

/**
 * Opens a database in a directory, for this process alone.
 *
 * @throws ConfigurationError when a package is missing, another process uses the directory, or it
 * cannot be written.
 */
export function embeddedOpener(
  dataDir: string,
  { fsync = false }: { readonly fsync?: boolean | undefined } = {},
): DatabaseOpener {
  requirePackage('A database in a directory (`dataDir`)', '@electric-sql/pglite', () =>
    import.meta.resolve('@electric-sql/pglite'),
  );
  const unlock = lockDirectory(dataDir);
  return {
    open: async () => {
      const pool = new EmbeddedPool({ dataDir: join(dataDir, 'database'), fsync });
      return { ...openedPool(pool, unlock), probing: pool };
    },
    explain: (error) => explainEmbeddedFailure(dataDir, error),
    openTimeoutMs,
  };
}

function openedPool(pool: EmbeddedPool, onClosed: () => void): OpenedPool {
  return {
    pool,
    isShared: false,
    canListen: false,
    onError: (listener) => pool.onError(listener),
    close: async () => {
      await pool.end();
      onClosed();
    },
  };
}
