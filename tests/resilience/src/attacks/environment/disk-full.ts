import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statfsSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  type PostgresServer,
  startPostgresServer,
} from '../../../../../packages/memory-postgres/src/testing/postgres-server.ts';
import type { Attack } from '../harness/attack.ts';
import { App } from './app.ts';
import { Diary } from './diary.ts';

const exec = promisify(execFile);
const megabyte = 1024 * 1024;
/** The space that is left when the disk is filled: a few large messages. */
const leftMb = 4;
const messageBytes = 200_000;
const writesWhenFull = 60;
const recoveryBoundMs = 20_000;

type Store = 'embedded' | 'server';

/** Fills the disk of a database while messages are written, and frees it again. */
export const diskFull: Attack = {
  name: 'disk-full',
  summary: 'the disk of the embedded database, and of a PostgreSQL server, is full for a while',
  needsOwnTarget: 'it fills the disk of the server',
  plants: { 'hidden-failures': /was acknowledged and is lost/ },
  run: async ({ bySize, plant }) => {
    const results: Result[] = [];
    for (const store of bySize<readonly Store[]>({
      planted: ['server'],
      short: ['embedded', 'server'],
      long: ['embedded', 'server'],
    })) {
      const result = await fillDiskOf(store, plant === 'hidden-failures' ? plant : undefined);
      if (result === undefined) return { count: '0 writes', findings: [], missing: 'the right to mount a file system' };
      console.log(`  ${store}: ${JSON.stringify(result.figures)}`);
      results.push(result);
    }
    return {
      count: `${results.length * writesWhenFull} writes to a full disk`,
      measured: results
        .map(({ figures }) => `${figures.store}: ${figures.refused} refused, back after ${figures.recoveredMs} ms`)
        .join('; '),
      target: `503, reads work, nothing partial or lost, works again within ${recoveryBoundMs / 1_000} s when there is space`,
      findings: results.flatMap(({ figures, findings }) => findings.map((one) => `${figures.store}: ${one}`)),
    };
  },
};

interface Result {
  readonly figures: {
    readonly store: Store;
    readonly refused: number;
    readonly readsWhenFull: number;
    readonly slowestMs: number;
    readonly recoveredMs: number;
    readonly acknowledged: number;
  };
  readonly findings: readonly string[];
}

async function fillDiskOf(store: Store, plant: 'hidden-failures' | undefined): Promise<Result | undefined> {
  const disk = await SmallDisk.mount(store === 'embedded' ? 160 : 320);
  if (disk === undefined) return undefined;
  let database: PostgresServer | undefined;
  let app: App | undefined;
  try {
    database = store === 'server' ? await startServerOn(disk) : undefined;
    app = await App.start({
      plant,
      ...(database ? { connectionString: database.connectionString } : { dataDir: join(disk.path, 'data') }),
    });
    return await fillAndFree(app, disk, store);
  } finally {
    await app?.close();
    await database?.remove();
    await disk.unmount();
  }
}

async function fillAndFree(app: App, disk: SmallDisk, store: Store): Promise<Result> {
  const diary = await Diary.create(app, messageBytes);
  const statuses = new Map<string, number>();
  const findings: string[] = [];
  for (let index = 0; index < 5; index += 1) await diary.save(`before-${index}`);
  disk.fill(leftMb);
  let slowestMs = 0;
  for (let index = 0; index < writesWhenFull; index += 1) {
    const reply = await diary.save(`full-${index}`);
    slowestMs = Math.max(slowestMs, reply.ms);
    const what = `${reply.status}${reply.code === undefined ? '' : ` ${reply.code}`}`;
    statuses.set(what, (statuses.get(what) ?? 0) + 1);
  }
  const refused = writesWhenFull - (statuses.get('200') ?? 0);
  if (refused === 0) findings.push('the disk was never full');
  for (const what of statuses.keys())
    if (what !== '200' && what !== '503 STORAGE_UNAVAILABLE') findings.push(`a write was answered with ${what}`);
  const readsWhenFull = (await diary.list()).status;
  if (readsWhenFull !== 200) findings.push(`a read was answered with ${readsWhenFull}`);
  if (!(await diary.isHealthy())) findings.push('the process does not answer');

  disk.free();
  const { findings: afterwards, recoveredMs } = await diary.recover(recoveryBoundMs);
  findings.push(...afterwards);
  return {
    figures: {
      store,
      refused,
      readsWhenFull,
      slowestMs: Math.round(slowestMs),
      recoveredMs,
      acknowledged: diary.acknowledged.length,
    },
    findings,
  };
}

/**
 * A server with its data on a disk, and its log of changes beside it, as operators are advised:
 * PostgreSQL stops when it cannot write its log.
 */
async function startServerOn(disk: SmallDisk): Promise<PostgresServer> {
  const { TMPDIR } = process.env;
  process.env['TMPDIR'] = disk.path;
  const server = await startPostgresServer();
  if (TMPDIR === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = TMPDIR;
  await server.stop();
  const [directory = ''] = readdirSync(disk.path);
  const log = join(disk.path, directory, 'data', 'pg_wal');
  const elsewhere = mkdtempSync(join(tmpdir(), 'halyard-wal-'));
  await exec('chown', ['--reference', log, elsewhere]);
  await exec('mv', [log, join(elsewhere, 'pg_wal')]);
  symlinkSync(join(elsewhere, 'pg_wal'), log);
  await server.start();
  return {
    ...server,
    remove: async () => {
      await server.remove();
      rmSync(elsewhere, { recursive: true, force: true });
    },
  };
}

/** A file system in memory. */
class SmallDisk {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  static async mount(megabytes: number): Promise<SmallDisk | undefined> {
    const path = mkdtempSync(join(tmpdir(), 'halyard-disk-'));
    try {
      await exec('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0777`, 'halyard-disk', path]);
      return new SmallDisk(path);
    } catch {
      rmSync(path, { recursive: true });
      return undefined;
    }
  }

  fill(left: number): void {
    const { bavail, bsize } = statfsSync(this.path);
    writeFileSync(join(this.path, 'filler'), Buffer.alloc(Math.max(0, bavail * bsize - left * megabyte)));
  }

  free(): void {
    rmSync(join(this.path, 'filler'));
  }

  async unmount(): Promise<void> {
    await exec('umount', ['-l', this.path]);
    rmSync(this.path, { recursive: true });
  }
}
