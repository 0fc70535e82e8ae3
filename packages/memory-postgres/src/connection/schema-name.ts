import { ConfigurationError } from '@halyard/contracts';

/** The name of a schema as SQL text. @throws ConfigurationError unless it is a plain identifier. */
export function quotedSchema(schema: string): string {
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema) || schema.startsWith('pg_'))
    throw new ConfigurationError(
      `"${schema}" is no name for a schema: use lower-case letters, digits and underscores, 63 at most, and no "pg_" at the start`,
    );
  return `"${schema}"`;
}
