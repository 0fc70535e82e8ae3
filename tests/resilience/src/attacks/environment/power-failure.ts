import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { silentLogger } from '@halyard/contracts';
import { createPostgresStorage } from '@halyard/memory-postgres';
import type { SeededRandom } from '../../faults/harness/seeded-random.ts';
import type { Attack } from '../harness/attack.ts';
import { App } from './app.ts';
import { Diary } from './diary.ts';
import { RecordedDisk } from './recorded-disk.ts';

/** Large enough that the log of PostgreSQL reaches its next file. */
const messageBytes = 60_000;
const openMs = 60_000;

/**
 * Lets the power fail while messages are written to an embedded database, and opens it from what
 * was on the disk.
 */
export const powerFailure: Attack = {
  name: 'power-failure',
  summary:
    'the power fails while an embedded database is written: what was not written to the disk is lost, in whole or in part',
  needsOwnTarget: 'it records the files of the database',
  plants: { 'no-fsync': /was acknowledged and is lost|cannot be opened/ },
  run: async ({ bySize, plant, random }) => {
    const size = bySize({
      planted: { writes: 10, failures: 2 },
      short: { writes: 150, failures: 8 },
      long: { writes: 1_000, failures: 200 },
    });
    if (plant === 'no-fsync') {
      const { findings } = await failPower(false, size, random);
      return { count: `${size.failures} power failures`, findings };
    }
    const synced = await failPower(true, size, random);
    // The possible losses of the default are documented, and no finding.
    const unsynced = await failPower(false, size, random);
    return {
      count: `${2 * size.failures} power failures, ${2 * size.writes} writes`,
      measured: `with fsync ${describe(synced)}; without ${describe(unsynced)}`,
      target: 'with fsync: true, every acknowledged write is there, and no part of another',
      findings: synced.findings,
    };
  },
};

interface Size {
  readonly writes: number;
  readonly failures: number;
}

interface Outcome {
  readonly failures: number;
  /** How often the database could not be opened. */
  readonly damaged: number;
  /** How often something acknowledged was missing. */
  readonly lossy: number;
  readonly findings: readonly string[];
}

function describe({ damaged, failures, lossy }: Outcome): string {
  return `${damaged} of ${failures} did not open, ${lossy} lost acknowledged writes`;
}

/** Without fsync, everything before the second start has reached the disk by itself. */
async function failPower(fsync: boolean, { failures, writes }: Size, random: SeededRandom): Promise<Outcome> {
  const directory = mkdtempSync(join(tmpdir(), 'halyard-power-'));
  const [data, records] = [join(directory, 'data'), join(directory, 'records')];
  const start = (): Promise<App> =>
    App.start({
      dataDir: data,
      fsync,
      environment: {
        NODE_OPTIONS: `--import=${new URL('record-files.ts', import.meta.url).href}`,
        HALYARD_RECORD: records,
        HALYARD_RECORDED: data,
      },
    });
  /** After so many acknowledged writes, the records had at least so many bytes. */
  const moments: { readonly acknowledged: number; readonly bytes: number }[] = [];
  const acknowledged: string[] = [];
  try {
    let restartedAt = 0;
    let app = await start();
    try {
      let diary = await Diary.create(app, messageBytes);
      for (let index = 0; index < writes; index += 1) {
        if (index === Math.floor(writes / 2)) {
          await app.close();
          restartedAt = statSync(records).size;
          // Its recovery is recorded too: moments may be in the middle of it.
          app = await start();
          diary = Diary.continue(app, messageBytes);
        }
        const { status } = await diary.save(`note-${index}`);
        if (status !== 200) throw new Error(`a write was answered with ${status}`);
        acknowledged.push(`note-${index}`);
        moments.push({ acknowledged: acknowledged.length, bytes: statSync(records).size });
      }
    } finally {
      await app.close();
    }

    const disk = new RecordedDisk(data, records);
    const end = statSync(records).size;
    const from = fsync ? (moments[0]?.bytes ?? 0) : restartedAt;
    // The last one is after all writes, so that a disk without fsync always loses some.
    const chosen = [...Array.from({ length: failures - 1 }, () => random.between(from, end)), end].toSorted(
      (a, b) => a - b,
    );
    const findings: string[] = [];
    let [damaged, lossy] = [0, 0];
    if (!fsync) {
      disk.advance(restartedAt);
      disk.settle();
    }
    for (const [index, bytes] of chosen.entries()) {
      disk.advance(bytes);
      const survivor = join(directory, `survivor-${index}`);
      // In turn: nothing that was not synced is there, or some of it.
      disk.leave(survivor, (failures - index) % 2 === 1 ? undefined : random);
      const expected = acknowledged.slice(0, moments.findLast((moment) => moment.bytes <= bytes)?.acknowledged ?? 0);
      const problems = await problemsOf(survivor, expected);
      rmSync(survivor, { recursive: true });
      if (problems.some((problem) => problem.includes('cannot be opened'))) damaged += 1;
      else if (problems.some((problem) => problem.includes('is lost'))) lossy += 1;
      findings.push(...problems.slice(0, 3).map((problem) => `after ${bytes} bytes: ${problem}`));
    }
    disk.advance(end);
    findings.push(...missedBy(disk));
    return { failures, damaged, lossy, findings };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function problemsOf(dataDir: string, expected: readonly string[]): Promise<readonly string[]> {
  const storage = createPostgresStorage({ dataDir, logger: silentLogger });
  const late = new AbortController();
  try {
    const read = async (): Promise<readonly string[]> => {
      await storage.opened?.();
      const found = await storage.conversations.messages('anyone', Diary.conversationId, { limit: 100_000 });
      return found?.messages.map(({ id }) => id) ?? [];
    };
    const found = await Promise.race([
      read(),
      delay(openMs, undefined, { signal: late.signal }).then(() => {
        throw new Error(`no answer within ${openMs} ms`);
      }),
    ]);
    return Diary.problemsOf(found, expected);
  } catch (error) {
    return [`the database cannot be opened: ${error instanceof Error ? error.message : String(error)}`];
  } finally {
    late.abort();
    await storage.close();
  }
}

/**
 * If the records do not lead to the files that are there, a change was missed, and the attack
 * proves nothing.
 */
function missedBy(disk: RecordedDisk): readonly string[] {
  const missed: string[] = [];
  for (const [path, content] of disk.seen()) {
    if (path.includes('halyard.lock')) continue;
    try {
      if (!readFileSync(path).equals(content)) missed.push(`a change of ${path} was not recorded`);
    } catch {
      missed.push(`the removal of ${path} was not recorded`);
    }
  }
  return missed;
}
