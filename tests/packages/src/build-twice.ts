import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { packPackages } from './pack-packages.ts';
import { run } from './run.ts';

/** Builds and packs the files of the repository in two folders, and returns the packages whose tarballs differ. */
export async function differentTarballs(root: string, target: string): Promise<readonly string[]> {
  // Names of different length, because paths in the output would have different lengths too. Copied before the first build, because
  // someone may be working on the files.
  const folders = [join(target, 'first'), join(target, 'second-build')] as const;
  for (const folder of folders) await copyRepository(root, folder);
  const first = await buildCopy(folders[0]);
  const second = await buildCopy(folders[1]);
  return Object.keys({ ...first, ...second }).filter((name) => first[name] !== second[name]);
}

async function copyRepository(root: string, folder: string): Promise<void> {
  const files = (await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], root)).split('\0');
  for (const file of files.filter((name) => name !== '' && existsSync(join(root, name)))) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await cp(join(root, file), join(folder, file), { verbatimSymlinks: true });
  }
}

/** @returns the hashes of the tarballs, by package. */
async function buildCopy(folder: string): Promise<Readonly<Record<string, string>>> {
  await run('pnpm', ['install', '--frozen-lockfile', '--prefer-offline'], folder);
  await run('pnpm', ['exec', 'turbo', 'run', 'build', '--force'], folder, { TURBO_TELEMETRY_DISABLED: '1' });
  const tarballs = join(folder, 'tarballs');
  await mkdir(tarballs);
  const hashes: Record<string, string> = {};
  for (const { name, tarball } of await packPackages(join(folder, 'packages'), tarballs)) {
    hashes[name] = createHash('sha256')
      .update(await readFile(tarball))
      .digest('hex');
  }
  return hashes;
}
