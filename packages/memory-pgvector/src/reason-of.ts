import { ConfigurationError, isHalyardError } from '@halyard/contracts';

/** SQLSTATEs that say that an extension is not installed, is too old, or may not be created. */
const extensionStates: ReadonlySet<unknown> = new Set(['0A000', '58P01', '42501']);

/** What keeps a database from being opened, where somebody has to do something about it; any other error stays as it is. */
export function reasonOf(error: unknown): unknown {
  if (!isHalyardError(error) || error.code !== 'STORAGE_UNAVAILABLE') return error;
  const { cause } = error;
  if (isHalyardError(cause)) return cause;
  if (!(cause instanceof Error && 'code' in cause && extensionStates.has(cause.code))) return error;
  return new ConfigurationError(
    `The database has no extension "vector" (pgvector 0.8.0 or later) and cannot create it: install it on the server, or @electric-sql/pglite-pgvector for an embedded database. It says: ${cause.message}`,
    { cause },
  );
}
