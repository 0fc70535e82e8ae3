import type { vectorMigrations as VectorMigrations } from '@halyard/memory-pgvector';
import type { migrations as StorageMigrations, MigrationStatus, PendingMigration } from '@halyard/memory-postgres';
import type { AppPackages } from './app-packages.ts';
import { CliError } from './cli-error.ts';
import type { Place } from './database.ts';

export interface MigrationFlags {
  readonly schema?: string;
  /** How many numbers an embedding has: the table of vectors cannot be created without it. */
  readonly dimensions?: number;
}

/** The migrations of one package of the app. */
export interface MigrationSet {
  readonly title: 'Storage' | 'Vectors';
  readonly schema: string;
  readonly status: () => Promise<MigrationStatus>;
  /**
   * The statements of the migrations with a number above `after`. Undefined: an option is missing.
   */
  readonly sql: (after: number) => string | undefined;
  /** Undefined: an option is missing. */
  readonly run: (() => Promise<readonly PendingMigration[]>) | undefined;
}

/** The remedy for a missing table of vectors. */
export const dimensionsFix = 'Pass --dimensions, such as 1536, or start the app: it creates the table';

/** The migrations of the packages that the app has installed. */
export async function loadMigrationSets(
  packages: AppPackages,
  place: Place,
  { dimensions, schema = 'halyard' }: MigrationFlags,
): Promise<readonly MigrationSet[]> {
  const storage = await loadMigrations<typeof StorageMigrations>(packages, '@halyard/memory-postgres', 'migrations');
  const sets: MigrationSet[] = [
    {
      title: 'Storage',
      schema,
      status: () => storage.status({ ...place, schema }),
      sql: (after) => storage.sql({ after, schema }),
      run: () => storage.run({ ...place, schema }),
    },
  ];
  if (packages.has('@halyard/memory-pgvector')) {
    const vectors = await loadMigrations<typeof VectorMigrations>(
      packages,
      '@halyard/memory-pgvector',
      'vectorMigrations',
    );
    sets.push({
      title: 'Vectors',
      schema,
      status: () => vectors.status({ ...place, schema }),
      sql: (after) => (dimensions === undefined ? undefined : vectors.sql({ after, schema, dimensions })),
      run: dimensions === undefined ? undefined : () => vectors.run({ ...place, schema }, { dimensions }),
    });
  }
  return sets;
}

async function loadMigrations<Migrations>(packages: AppPackages, name: string, exported: string): Promise<Migrations> {
  const loaded = (await packages.load(name, 'This command')) as Readonly<Record<string, unknown>>;
  const migrations = loaded[exported];
  if (typeof migrations === 'object' && migrations !== null && 'status' in migrations) return migrations as Migrations;
  throw new CliError(`The installed ${name} is older than this command.`, {
    fix: packages.installCommand(`${name}@latest`),
  });
}
