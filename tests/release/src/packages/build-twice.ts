import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type PackedPackage, packPackages } from './pack-packages.ts';
import { run } from './run.ts';

/**
 * The packages of two builds, each in a copy of the repository without what earlier builds have
 * left.
 */
export async function buildTwice(
  root: string,
  target: string,
): Promise<readonly [readonly PackedPackage[], readonly PackedPackage[]]> {
  // Names of different length, because paths in the output would have different lengths too. Copied
  // before the first build, because someone may be working on the files.
  const folders = [join(target, 'first'), join(target, 'second-build')] as const;
  for (const folder of folders) await copyRepository(root, folder);
  return [await buildCopy(folders[0]), await buildCopy(folders[1])];
}

/** The names of the packages whose tarballs differ. */
export async function differentPackages(
  first: readonly PackedPackage[],
  second: readonly PackedPackage[],
): Promise<readonly string[]> {
  const [before, after] = [await hashesOf(first), await hashesOf(second)];
  return Object.keys({ ...before, ...after }).filter((name) => before[name] !== after[name]);
}

async function copyRepository(root: string, folder: string): Promise<void> {
  const files = (await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], root)).split('\0');
  for (const file of files.filter((name) => name !== '' && existsSync(join(root, name)))) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await cp(join(root, file), join(folder, file), { verbatimSymlinks: true });
  }
}

async function buildCopy(folder: string): Promise<readonly PackedPackage[]> {
  await run('pnpm', ['install', '--frozen-lockfile', '--prefer-offline'], folder);
  await run('pnpm', ['exec', 'turbo', 'run', 'build', '--force'], folder, { TURBO_TELEMETRY_DISABLED: '1' });
  const tarballs = join(folder, 'tarballs');
  await mkdir(tarballs);
  return packPackages(join(folder, 'packages'), tarballs);
}

async function hashesOf(packages: readonly PackedPackage[]): Promise<Readonly<Record<string, string>>> {
  const hashes: Record<string, string> = {};
  for (const { name, tarball } of packages) {
    hashes[name] = createHash('sha256')
      .update(await readFile(tarball))
      .digest('hex');
  }
  return hashes;
}
