import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './run.ts';

/**
 * Versions of the packages at npm that contain the program, so that nothing is downloaded while
 * they are installed.
 */
const bun = '1.4.5';
const deno = '2.9.6';

/**
 * How programs other than Node run a module, by name. Installs them in `folder`. Empty where npm
 * has none for the machine.
 */
export async function installRuntimes(
  folder: string,
): Promise<readonly (readonly [name: string, command: readonly string[]])[]> {
  const { arch, platform } = process;
  if (platform !== 'linux' || (arch !== 'x64' && arch !== 'arm64')) return [];
  const bunPackage = `@oven/bun-linux-${arch === 'x64' ? 'x64' : 'aarch64'}`;
  const denoPackage = `@deno/linux-${arch}-glibc`;
  await mkdir(folder);
  const dependencies = { [bunPackage]: bun, [denoPackage]: deno };
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
  await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], folder);
  return [
    ['Bun', [join(folder, 'node_modules', bunPackage, 'bin/bun')]],
    ['Deno', [join(folder, 'node_modules', denoPackage, 'deno'), 'run', '-A', '--node-modules-dir=manual']],
  ];
}
