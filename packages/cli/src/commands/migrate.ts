import type { MigrationStatus } from '@halyard/memory-postgres';
import { AppPackages } from '../app-packages.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import { type DatabaseFlags, describePlace, type Place, requirePlace, withDatabase } from '../database.ts';
import { dimensionsFix, loadMigrationSets, type MigrationFlags, type MigrationSet } from '../migration-sets.ts';
import { withProgress } from '../progress.ts';
import { counted, print, style, table, tell } from '../terminal.ts';

export type MigrateFlags = DatabaseFlags & MigrationFlags;

/** Lists the migrations. @returns 1 if some are pending. */
export async function migrateStatus({ json = false, ...flags }: MigrateFlags & { json?: boolean }): Promise<number> {
  const { place, sets } = await open(flags);
  const listed = await withProgress('Reading the migrations', () => readAll(place, sets));
  const isUpToDate = listed.every(({ status }) => status.pending.length === 0);
  if (json) print(JSON.stringify({ upToDate: isUpToDate, sets: listed.map(toJson) }, undefined, 2));
  else {
    print(describePlace(place));
    for (const one of listed) printStatus(one);
    print();
    print(isUpToDate ? `${style('✓', 'green')} Up to date` : 'halyard migrate up runs what is pending.');
  }
  return isUpToDate ? exitCodes.ok : exitCodes.failed;
}

/** Runs pending migrations. */
export async function migrateUp(flags: MigrateFlags): Promise<number> {
  const { place, sets } = await open(flags);
  print(describePlace(place));
  for (const { run, schema, status, title } of sets) {
    const label = `${title} in the schema ${schema}`;
    if (run === undefined) {
      const { pending } = await withDatabase(place, status);
      if (pending.length > 0) tell(`${style('–', 'yellow', process.stderr)} ${label}: skipped. ${dimensionsFix}.`);
      else print(`${style('✓', 'green')} ${label}: up to date`);
      continue;
    }
    const done = await withProgress(`Migrating ${label}`, () => withDatabase(place, run));
    print(`${style('✓', 'green')} ${label}: ${done.length === 0 ? 'up to date' : counted(done.length, 'migration')}`);
    for (const { name, number } of done) print(style(`  ${number}  ${name}`, 'dim'));
  }
  return exitCodes.ok;
}

/** Prints the statements of pending migrations. */
export async function migrateSql(flags: MigrateFlags): Promise<number> {
  const { place, sets } = await open(flags);
  const listed = await withProgress('Reading the migrations', () => readAll(place, sets));
  let isEmpty = true;
  for (const { set, status } of listed) {
    if (status.pending.length === 0) continue;
    const statements = set.sql(status.applied.at(-1)?.number ?? 0);
    if (statements === undefined) {
      tell(`${style('–', 'yellow', process.stderr)} ${set.title}: left out. ${dimensionsFix}.`);
      continue;
    }
    isEmpty = false;
    print(`-- ${set.title}: ${status.pending.map(({ name, number }) => `${number} ${name}`).join(', ')}`);
    print(statements);
    print();
  }
  if (isEmpty) tell('Nothing is pending.');
  return exitCodes.ok;
}

/**
 * Migrations only add to the schema, so an older version runs on it, and nothing can be removed
 * without losing data.
 */
export function migrateDown(): never {
  throw new CliError(
    'Migrations cannot be undone: what they added may contain data, and running processes may use it.',
    {
      fix: `Deploy the older version: it accepts the newer tables, because migrations only add to them.
If its release notes say that they removed something, restore the backup that was made before the upgrade.
https://github.com/halyard-dev/halyard/blob/main/docs/cli.md#going-back`,
    },
  );
}

async function open(flags: MigrateFlags): Promise<{ place: Place; sets: readonly MigrationSet[] }> {
  const place = requirePlace(flags);
  return { place, sets: await loadMigrationSets(new AppPackages(process.cwd()), place, flags) };
}

interface ListedSet {
  readonly set: MigrationSet;
  readonly status: MigrationStatus;
}

/** One after another: an embedded database has one user at a time. */
async function readAll(place: Place, sets: readonly MigrationSet[]): Promise<readonly ListedSet[]> {
  const listed: ListedSet[] = [];
  for (const set of sets) listed.push({ set, status: await withDatabase(place, set.status) });
  return listed;
}

function printStatus({ set: { schema, title }, status: { applied, pending } }: ListedSet): void {
  print();
  print(`${style(title, 'bold')} ${style(`schema ${schema}`, 'dim')}`);
  const rows = [
    ...applied.map(({ name, number, runAt }) => ['✓', number, name, runAt === undefined ? '' : formatTime(runAt)]),
    ...pending.map(({ name, number }) => ['○', number, name, 'pending']),
  ];
  const isPending = (row: number): boolean => row >= applied.length;
  print(
    table(rows, (text, column, row) => {
      if (column === 0) return `  ${style(text, isPending(row) ? 'yellow' : 'green')}`;
      return column === 3 ? style(text, isPending(row) ? 'yellow' : 'dim') : text;
    }),
  );
}

function formatTime(time: Date): string {
  return `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

function toJson({ set: { schema, title }, status: { applied, pending } }: ListedSet): object {
  return { name: title.toLowerCase(), schema, applied, pending };
}
