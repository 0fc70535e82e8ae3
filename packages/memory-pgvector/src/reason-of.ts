import { ConfigurationError, isHalyardError } from '@halyard/contracts';

/** SQLSTATEs of an extension that is not installed on the server, or is too old; the first as servers say it before version 16. */
const missingStates: ReadonlySet<unknown> = new Set(['58P01', '0A000']);

/** What keeps a database from being opened, where somebody has to do something about it; any other error stays as it is. */
export function reasonOf(error: unknown): unknown {
  if (!isHalyardError(error) || error.code !== 'STORAGE_UNAVAILABLE') return error;
  const { cause } = error;
  if (isHalyardError(cause)) return cause;
  if (!(cause instanceof Error && 'code' in cause)) return error;
  if (missingStates.has(cause.code))
    return new ConfigurationError(
      `The database has no extension "vector": install pgvector 0.8.0 or later on the server, or @electric-sql/pglite-pgvector for an embedded database. It says: ${cause.message}`,
      { cause },
    );
  if (cause.code === '42501')
    return new ConfigurationError(
      `The tables and the extension of vectors are not there, and may not be created: let somebody who may run what vectorMigrations.sql() prints. The database says: ${cause.message}`,
      { cause },
    );
  return error;
}
