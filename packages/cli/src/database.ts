import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CliError } from './cli-error.ts';

/** The options that name a database. */
export interface DatabaseFlags {
  readonly databaseUrl?: string;
  readonly dataDir?: string;
  readonly schema?: string;
}

/** A database on a server, or in a directory. */
export type Place = { readonly connectionString: string } | { readonly dataDir: string };

/** Where created apps and the examples of the documentation keep an embedded database. */
const usualDirectories = ['.halyard', '.halyard/data'];

/**
 * The database of the options, else `DATABASE_URL`, else an embedded one in the folder. Undefined:
 * none of them.
 */
export function findPlace(
  { dataDir, databaseUrl }: DatabaseFlags,
  { env, folder }: { readonly env: NodeJS.ProcessEnv; readonly folder: string },
): Place | undefined {
  if (databaseUrl !== undefined && dataDir !== undefined) {
    throw new CliError('There are two databases: --database-url and --data-dir.', { fix: 'Leave one of them out.' });
  }
  if (dataDir !== undefined) {
    const directory = resolve(folder, dataDir);
    if (isEmbedded(directory)) return { dataDir: directory };
    throw new CliError(`There is no embedded database in ${directory}.`, {
      fix: 'Pass the `dataDir` of the app, or start the app once: it creates the database.',
    });
  }
  const connectionString = (databaseUrl ?? env['DATABASE_URL'] ?? '').trim();
  if (connectionString !== '') return { connectionString };
  const found = usualDirectories.map((name) => join(folder, name)).find(isEmbedded);
  return found === undefined ? undefined : { dataDir: found };
}

function isEmbedded(directory: string): boolean {
  return existsSync(join(directory, 'database/PG_VERSION'));
}

/** {@link findPlace}. @throws CliError if there is none. */
export function requirePlace(flags: DatabaseFlags): Place {
  const place = findPlace(flags, { env: process.env, folder: process.cwd() });
  if (place !== undefined) return place;
  throw new CliError('No database is named, and this folder contains no embedded one.', {
    fix: 'Set DATABASE_URL, also in .env, or pass --database-url or --data-dir',
  });
}

/** The database without its password. */
export function describePlace(place: Place): string {
  if ('dataDir' in place) return `${place.dataDir} (embedded)`;
  try {
    const { hostname, pathname, port, username } = new URL(place.connectionString);
    const user = username === '' ? '' : `${username}@`;
    return `postgres://${user}${hostname}${port === '' ? '' : `:${port}`}${pathname}`;
  } catch {
    return 'the database of the connection string';
  }
}

const unreachable = new Set(['ECONNREFUSED', 'ENOTFOUND', 'ETIMEDOUT', 'EHOSTUNREACH', 'ECONNRESET', 'EAI_AGAIN']);

/** Runs work with a database. @throws CliError if it cannot be reached. */
export async function withDatabase<Result>(place: Place, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const reason = unreachableReason(error);
    if (reason === undefined) throw error;
    throw new CliError(`${describePlace(place)} does not answer: ${reason}.`, {
      cause: error,
      fix: 'Start the database, or correct DATABASE_URL or --database-url',
    });
  }
}

function unreachableReason(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { cause } = error;
  if ('code' in error && error.code === 'STORAGE_UNAVAILABLE') {
    return unreachableReason(cause) ?? (cause instanceof Error ? cause.message : error.message);
  }
  const code = 'code' in error ? error.code : undefined;
  if (typeof code === 'string' && unreachable.has(code)) return error.message === '' ? code : error.message;
  // The driver's own errors have no code.
  if (/timeout|terminated unexpectedly/i.test(error.message)) return error.message;
  return error instanceof AggregateError ? unreachableReason(error.errors[0]) : undefined;
}
