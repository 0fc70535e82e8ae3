import type Pg from 'pg';
import type { AppPackages } from '../app-packages.ts';
import { CliError } from '../cli-error.ts';
import { type DatabaseFlags, describePlace, findPlace, type Place, withDatabase } from '../database.ts';
import { loadMigrationSets, type MigrationSet } from '../migration-sets.ts';
import { counted } from '../terminal.ts';
import type { Check } from './check.ts';

interface DatabaseContext {
  readonly env: NodeJS.ProcessEnv;
  readonly folder: string;
  readonly packages: AppPackages;
}

/** Whether the database of the app responds and has its tables. */
export async function checkDatabase(
  flags: DatabaseFlags,
  { env, folder, packages }: DatabaseContext,
): Promise<readonly Check[]> {
  if (!packages.has('@halyard/memory-postgres')) return [];
  const id = 'database';
  let place: Place | undefined;
  try {
    place = findPlace(flags, { env, folder });
    if (place === undefined) {
      return [
        {
          id,
          status: 'skipped',
          message: 'No database is named, and there is no embedded one yet',
          fix: 'Set DATABASE_URL or pass --database-url or --data-dir, or start the app: it creates an embedded database',
        },
      ];
    }
    const named = place;
    const driver = 'dataDir' in named ? '@electric-sql/pglite' : 'pg';
    if (!packages.has(driver)) {
      return [
        {
          id,
          status: 'failed',
          message: `${describePlace(named)} needs ${driver}, which is not installed`,
          fix: packages.installCommand(driver),
        },
      ];
    }
    const sets = await loadMigrationSets(packages, named, flags);
    const checks: Check[] = [];
    for (const set of sets) checks.push(await withDatabase(named, () => checkMigrations(set)));
    return [await checkServer(named, packages), ...checks];
  } catch (error) {
    return [failure(id, error)];
  }
}

const neededMajor = 15;

async function checkServer(place: Place, packages: AppPackages): Promise<Check> {
  const id = 'database';
  if ('dataDir' in place) return { id, status: 'ok', message: `${describePlace(place)} answers` };
  const { default: pg } = (await packages.load('pg', 'doctor')) as { readonly default: typeof Pg };
  const client = new pg.Client(place);
  await client.connect();
  try {
    const { rows } = await client.query<{ readonly server_version: string }>('show server_version');
    const version = rows[0]?.server_version ?? 'of an unknown version';
    if (Number.parseInt(version, 10) < neededMajor)
      return {
        id,
        status: 'failed',
        message: `${describePlace(place)} is PostgreSQL ${version}, which is too old`,
        fix: `Update it to PostgreSQL ${neededMajor} or later`,
      };
    return { id, status: 'ok', message: `${describePlace(place)} answers: PostgreSQL ${version}` };
  } finally {
    await client.end();
  }
}

async function checkMigrations({ run, schema, status, title }: MigrationSet): Promise<Check> {
  const { applied, pending } = await status();
  const id = `migrations:${title.toLowerCase()}`;
  const label = `${title} in the schema ${schema}`;
  if (pending.length === 0) return { id, status: 'ok', message: `${label}: up to date` };
  return {
    id,
    status: 'failed',
    message:
      applied.length === 0 ? `${label}: no tables yet` : `${label}: ${counted(pending.length, 'migration')} pending`,
    fix: run === undefined ? 'halyard migrate up --dimensions <length of an embedding>' : 'halyard migrate up',
  };
}

/** Messages of Halyard's own errors say what to do. */
function failure(id: string, error: unknown): Check {
  const message = error instanceof Error ? error.message : String(error);
  const fix = error instanceof CliError ? error.fix : undefined;
  // The app itself may be running.
  const isInUse = /is in use|uses the directory|another process/i.test(message);
  return {
    id,
    status: isInUse ? 'skipped' : 'failed',
    message,
    ...(fix !== undefined && { fix }),
    ...(isInUse && { fix: 'Stop the app, and run halyard doctor again to check its database' }),
  };
}
