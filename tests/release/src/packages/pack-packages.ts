import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readJson } from './read-json.ts';
import { run } from './run.ts';

export interface PackedPackage {
  readonly name: string;
  /** The folder of the package in the workspace. */
  readonly folder: string;
  readonly tarball: string;
  /** The folder of the unpacked tarball. */
  readonly contents: string;
}

/** Packs every publishable package of the workspace into `target`, and unpacks it there. */
export async function packPackages(packagesFolder: string, target: string): Promise<readonly PackedPackage[]> {
  const packed: PackedPackage[] = [];
  for (const entry of (await readdir(packagesFolder)).toSorted()) {
    const folder = join(packagesFolder, entry);
    const { name, private: isPrivate } = await readJson(join(folder, 'package.json'));
    if (typeof name !== 'string' || isPrivate === true) continue;

    const tarball = join(target, `${entry}.tgz`);
    await run('pnpm', ['pack', '--silent', '--out', tarball], folder);
    const contents = join(target, entry);
    await mkdir(contents);
    await run('tar', ['-xzf', tarball, '-C', contents, '--strip-components=1'], target);
    packed.push({ name, folder, tarball, contents });
  }
  return packed;
}
