import { copyFileSync, fstatSync, mkdirSync, mkdtempSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDirectoryDatabase } from './directory-database.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'halyard-directory-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/**
 * Copies each file when it is written to the disk. The copies are the state after a power failure
 * in the worst case: nothing else has reached the disk.
 */
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
  async () => {
    const [machine, disk] = [join(directory, 'machine'), join(directory, 'disk')];
    mkdirSync(machine);
    const syncFile = copyWhenSynced(machine, disk);
    const database = await openDirectoryDatabase(join(machine, 'data'), { fsync: true, syncFile });
    await database.exec('create table notes (n integer primary key, text text)');
    const add = async (n: number): Promise<void> => {
      await database.query('insert into notes values ($1, $2)', [n, 'x'.repeat(2_000)]);
    };
    for (let n = 0; n < 100; n += 1) await add(n);
    await database.exec('checkpoint');
    for (let n = 100; n < 200; n += 1) await add(n);

    const survivor = await openDirectoryDatabase(join(disk, 'data'), { fsync: false });
    const { rows } = await survivor.query('select count(*)::integer as notes from notes');
    await survivor.close();
    await database.close();

    expect(rows).toEqual([{ notes: 200 }]);
  },
);

it('does not acknowledge a commit that the disk refuses', async () => {
  const reasons: string[] = [];
  let isBroken = false;
  const database = await openDirectoryDatabase(join(directory, 'data'), {
    fsync: true,
    onEnded: (reason) => reasons.push(reason),
    syncFile: () => {
      if (isBroken) throw new Error('EIO: i/o error, fsync');
    },
  });
  await database.exec('create table notes (n integer)');
  isBroken = true;
  await expect(database.query('insert into notes values ($1)', [1])).rejects.toMatchObject({ severity: 'PANIC' });
  expect(reasons).toEqual([expect.stringContaining('could not fsync file')]);
});
