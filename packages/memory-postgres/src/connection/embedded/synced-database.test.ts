import { copyFileSync, fstatSync, mkdirSync, mkdtempSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openSyncedDatabase } from './synced-database.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'halyard-synced-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Copies each file when it is written to the disk. The copies are what a power failure leaves in the worst case: nothing else has reached the disk. */
function copyWhenSynced(from: string, to: string): (fd: number) => void {
  return (fd) => {
    const path = readlinkSync(`/proc/self/fd/${fd}`);
    const copy = join(to, relative(from, path));
    if (fstatSync(fd).isDirectory()) mkdirSync(copy, { recursive: true });
    else {
      mkdirSync(dirname(copy), { recursive: true });
      copyFileSync(path, copy);
    }
  };
}

it.skipIf(process.platform !== 'linux')(
  'has all acknowledged commits after a power failure, before and after checkpoints',
  { timeout: 60_000 },
  async () => {
    const [data, disk] = [join(directory, 'data'), join(directory, 'disk')];
    const database = await openSyncedDatabase(data, { syncFile: copyWhenSynced(data, disk) });
    await database.exec('create table notes (n integer primary key, text text)');
    const add = async (n: number): Promise<void> => {
      await database.query('insert into notes values ($1, $2)', [n, 'x'.repeat(2_000)]);
    };
    for (let n = 0; n < 100; n += 1) await add(n);
    await database.exec('checkpoint');
    for (let n = 100; n < 200; n += 1) await add(n);

    const survivor = await PGlite.create(disk);
    const { rows } = await survivor.query('select count(*)::integer as notes from notes');
    await survivor.close();
    await database.close();

    expect(rows).toEqual([{ notes: 200 }]);
  },
);
