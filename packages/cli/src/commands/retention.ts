import { setTimeout as delay } from 'node:timers/promises';
import { confirm, isCancel } from '@clack/prompts';
import type { Storage } from '@halyard/contracts';
import type { createPostgresStorage as CreatePostgresStorage } from '@halyard/memory-postgres';
import type { storedByAge as StoredByAge } from '@halyard/memory-postgres/database';
import { AppPackages } from '../app-packages.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import { type DatabaseFlags, describePlace, type Place, requirePlace, withDatabase } from '../database.ts';
import { parseDuration } from '../duration.ts';
import { withProgress } from '../progress.ts';
import { counted, formatBytes, formatCount, print, style, table } from '../terminal.ts';

export interface RetentionFlags extends DatabaseFlags {
  readonly olderThan?: string;
  readonly only?: readonly Kind[];
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** The data that can be deleted by age. */
export const kinds = ['executions', 'telemetry'] as const;
export type Kind = (typeof kinds)[number];

const dayMs = 86_400_000;
const ages = [1, 7, 30, 90];
/** As many as a server deletes at a time. */
const batchSize = 500;
const pauseMs = 50;

/** Shows how much is stored by age, or deletes data older than an age. */
export async function retention(flags: RetentionFlags): Promise<number> {
  const olderThanMs = flags.olderThan === undefined ? undefined : parseDuration(flags.olderThan);
  const place = requirePlace(flags);
  const { storage, storedByAge } = await openStorage(place, flags.schema);
  try {
    return await withDatabase(place, async () => {
      await storage.opened?.();
      await storage.check();
      if (olderThanMs === undefined) return show({ place, storage, storedByAge });
      return remove({ storage, storedByAge, olderThanMs }, flags);
    });
  } finally {
    await storage.close();
  }
}

async function openStorage(
  place: Place,
  schema = 'halyard',
): Promise<{ readonly storage: Storage; readonly storedByAge: typeof StoredByAge }> {
  const packages = new AppPackages(process.cwd());
  const name = '@halyard/memory-postgres';
  const { createPostgresStorage } = (await packages.load(name, 'This command')) as {
    readonly createPostgresStorage: typeof CreatePostgresStorage;
  };
  const { storedByAge } = (await packages.load(`${name}/database`, 'This command')) as {
    readonly storedByAge?: typeof StoredByAge;
  };
  if (storedByAge === undefined) {
    throw new CliError(`The installed ${name} is older than this command.`, {
      fix: packages.installCommand(`${name}@latest`),
    });
  }
  const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  return { storage: createPostgresStorage({ ...place, schema, autoMigrate: false, logger: silent }), storedByAge };
}

interface Shown {
  readonly place: Place;
  readonly storage: Storage;
  readonly storedByAge: typeof StoredByAge;
}

async function show({ place, storage, storedByAge }: Shown): Promise<number> {
  const boundaries = ages.map((days) => days * dayMs);
  const [counts, size] = await withProgress('Counting', () =>
    Promise.all([storedByAge(storage, boundaries), storage.size?.()]),
  );
  const rows = [
    ['Ended executions', ...counts.executions],
    ['Spans', ...counts.spans],
    ['Log lines', ...counts.logs],
    ['Conversations', ...counts.conversations],
  ];
  const head = ['', 'under 1 day', '1–7 days', '7–30 days', '30–90 days', 'over 90 days'];
  print(`${describePlace(place)}${size === undefined ? '' : `, ${formatBytes(size.bytes)}`}`);
  print();
  print(
    table([head, ...rows], (text, column, row) => {
      if (row === 0) return style(text, 'dim');
      return column === 0 ? style(text, 'bold') : text;
    }),
  );
  print();
  print(
    'Servers delete ended executions after 30 days and spans and log lines after 14 days, unless `retention` says otherwise.',
  );
  print(
    'Conversations stay until they are deleted. To delete the rest earlier: halyard retention --older-than 7d --dry-run',
  );
  return exitCodes.ok;
}

interface Removal {
  readonly storage: Storage;
  readonly storedByAge: typeof StoredByAge;
  readonly olderThanMs: number;
}

async function remove(
  removal: Removal,
  { dryRun = false, olderThan = '', only = kinds, yes = false }: RetentionFlags,
): Promise<number> {
  const { olderThanMs, storage, storedByAge } = removal;
  const counts = await withProgress('Counting', () => storedByAge(storage, [olderThanMs]));
  const executions = only.includes('executions') ? (counts.executions[1] ?? 0) : 0;
  const spans = only.includes('telemetry') ? (counts.spans[1] ?? 0) : 0;
  const logs = only.includes('telemetry') ? (counts.logs[1] ?? 0) : 0;
  const what = [
    ...(only.includes('executions') ? [counted(executions, 'ended execution')] : []),
    ...(only.includes('telemetry') ? [`${counted(spans, 'span')}, ${counted(logs, 'log line')} (whole days)`] : []),
  ].join(', ');
  print(`Older than ${olderThan}: ${what}`);
  if (executions + spans + logs === 0) return exitCodes.ok;
  if (dryRun) {
    print('Nothing was deleted. Without --dry-run, the command deletes them.');
    return exitCodes.ok;
  }
  if (!yes) await confirmRemoval();
  await withProgress('Deleting', async (report) => {
    if (only.includes('executions')) await purgeExecutions(storage, olderThanMs, report);
    if (only.includes('telemetry')) await purgeTelemetry(storage, olderThanMs);
  });
  print(`${style('✓', 'green')} Deleted`);
  return exitCodes.ok;
}

async function confirmRemoval(): Promise<void> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new CliError('Deleting needs a confirmation, and there is no terminal to ask in.', {
      exitCode: exitCodes.usage,
      fix: 'Look at it with --dry-run, then pass --yes',
    });
  }
  const answer = await confirm({
    message: 'Delete them? This cannot be undone.',
    initialValue: false,
    output: process.stderr,
  });
  if (isCancel(answer) || !answer) {
    throw new CliError('Nothing was deleted.', { exitCode: exitCodes.interrupted });
  }
}

/**
 * Executions and published events, in small batches, so that servers on the same database go on.
 */
async function purgeExecutions(storage: Storage, olderThanMs: number, report: (state: string) => void): Promise<void> {
  const { executions } = storage;
  let total = 0;
  await inBatches(async () => {
    const deleted = await executions.purge(olderThanMs, batchSize);
    total += deleted;
    report(`${formatCount(total)} executions`);
    return deleted;
  });
  await inBatches(() => executions.purgeEvents(olderThanMs, batchSize));
}

async function inBatches(deleteSome: () => Promise<number>): Promise<void> {
  while ((await deleteSome()) === batchSize) await delay(pauseMs);
}

async function purgeTelemetry({ telemetry }: Storage, olderThanMs: number): Promise<void> {
  // oxlint-disable-next-line halyard/no-wall-clock -- a command has no clock of an app
  await telemetry?.purge(Date.now() - olderThanMs);
}
