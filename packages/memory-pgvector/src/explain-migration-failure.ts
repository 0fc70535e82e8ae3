import { ConfigurationError } from '@halyard/contracts';

/**
 * SQLSTATEs when the extension is not installed on the server or too old. Servers before version 16
 * report `58P01`.
 */
const missingExtensionStates: ReadonlySet<unknown> = new Set(['58P01', '0A000']);
const insufficientPrivilege = '42501';

/** Explains why the migrations failed, where an operator has to act. */
export function explainMigrationFailure(error: unknown): ConfigurationError | undefined {
  if (!(error instanceof Error && 'code' in error)) return undefined;
  if (missingExtensionStates.has(error.code))
    return new ConfigurationError(
      `The database does not have the extension "vector": install pgvector 0.8.0 or later on the server, or @electric-sql/pglite-pgvector for an embedded database. PostgreSQL: ${error.message}`,
      { cause: error },
    );
  if (error.code === insufficientPrivilege)
    return new ConfigurationError(
      `The tables and the extension for vectors do not exist, and this role may not create them: run the output of vectorMigrations.sql() with a role that may. PostgreSQL: ${error.message}`,
      { cause: error },
    );
  return undefined;
}
