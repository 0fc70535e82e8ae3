import { ConfigurationError } from '@halyard/contracts';
import { sql } from 'kysely';
import type { Database } from './database.ts';

/** SQLSTATE: the role lacks a right. */
const insufficientPrivilege = '42501';
/** SQLSTATE: a schema does not exist. */
const unknownSchema = '3F000';

/**
 * Checks one write path of the storage: calls a function that updates a row that does not exist, so
 * that nothing is stored. Its rights, and the schema that its body names, are checked all the same.
 *
 * @throws ConfigurationError when writes fail until somebody acts.
 */
export async function checkWrites(database: Database): Promise<void> {
  const { isBound } = await callFunction(database);
  if (!isBound) throw new ConfigurationError(`The functions of the schema ${database.schema} ${renamed}`);
}

const renamed =
  'use the tables of another schema: a schema keeps its name for as long as it exists. Rename it back, and set the option `schema` to this name';

async function callFunction(database: Database): Promise<{ readonly isBound: boolean }> {
  const schema = sql.raw(database.schema);
  try {
    const { rows } = await database.run((db) =>
      sql<{ readonly is_bound: boolean }>`
        select ${schema}.append_to_stream('', 0, 0, '[]', 0, 0, 0, false, 0),
          (select bool_and(position(${`${database.schema}.`} in prosrc) > 0) from pg_proc
            where proname = 'append_to_stream' and pronamespace = ${database.schema}::regnamespace) as is_bound`.execute(
        db,
      ),
    );
    return { isBound: rows[0]?.is_bound ?? false };
  } catch (error) {
    throw explained(error, database.schema);
  }
}

function explained(error: unknown, schema: string): unknown {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return error;
  const failure = `The storage cannot be written: ${error.message}`;
  if (error.code === insufficientPrivilege)
    return new ConfigurationError(
      `${failure}. Give the role \`usage\` on the schema ${schema}, and read and write access to its tables, sequences and functions`,
    );
  // Something that a function names does not exist.
  if (error.code === unknownSchema || error.code.startsWith('42'))
    return new ConfigurationError(
      `${failure}. The migrations of the schema ${schema} are incomplete, or its functions ${renamed}`,
    );
  return error;
}
