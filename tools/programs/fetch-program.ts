import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const cache = fileURLToPath(new URL('../../node_modules/.cache/programs', import.meta.url));

/** Where npm puts each program. It only installs the package of the machine's platform. */
const paths = {
  bun: 'node_modules/@oven/bun-*/bin/{bun,bun.exe}',
  'restate-server': 'node_modules/@restatedev/restate-server-*/bin/restate-server',
} as const;

/**
 * The path of a program that only some tests need, undefined where npm has none for the platform.
 * These programs are too large for the dependencies of the workspace, so the first test that needs
 * one installs it. `package-lock.json` in the folder of its name fixes its version and its bytes.
 */
export async function fetchProgram(name: keyof typeof paths): Promise<string | undefined> {
  const source = fileURLToPath(new URL(name, import.meta.url));
  const lock = await readFile(join(source, 'package-lock.json'));
  const version = createHash('sha256').update(lock).digest('hex').slice(0, 12);
  const folder = join(cache, `${name}-${version}`);
  if (!existsSync(folder)) await install(source, folder);
  const [program] = globSync(paths[name], { cwd: folder });
  return program && join(folder, program);
}

/** Installs elsewhere first, so that neither an interruption nor another test leaves half of it. */
async function install(source: string, folder: string): Promise<void> {
  await mkdir(cache, { recursive: true });
  const unfinished = await mkdtemp(join(cache, 'unfinished-'));
  try {
    await cp(source, unfinished, { recursive: true });
    const options = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    await promisify(execFile)('npm', options, { cwd: unfinished, shell: process.platform === 'win32' });
    await rename(unfinished, folder).catch((error: unknown) => {
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}
