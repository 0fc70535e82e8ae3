import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { installPackages } from './package-manager.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'halyard-app-'));
});
afterEach(() => rm(folder, { recursive: true }));

const npm = { command: 'npm', lockfile: undefined } as const;
const target = { name: '@halyard/core', version: '1.2.0', isDevDependency: false };

it('starts npm on Windows, where it is a .cmd that Node cannot start', async () => {
  const bin = join(folder, 'node_modules', 'npm', 'bin');
  await mkdir(bin, { recursive: true });
  await writeFile(join(folder, 'npm.cmd'), 'SET "NPM_CLI_JS=%~dp0\\node_modules\\npm\\bin\\npm-cli.js"\r\n');
  const script = `require('fs').writeFileSync('called.json', JSON.stringify(process.argv.slice(2)))`;
  await writeFile(join(bin, 'npm-cli.js'), script);
  const options = { directory: folder, registry: undefined, platform: 'win32', path: folder } as const;
  expect(await installPackages(npm, [target], options)).toEqual({ code: 0, output: '' });
  expect(JSON.parse(await readFile(join(folder, 'called.json'), 'utf8'))).toEqual([
    'install',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--save-prod',
    '@halyard/core@1.2.0',
  ]);
});

it('says that the package manager is missing', async () => {
  const options = { directory: folder, registry: undefined, platform: 'win32', path: folder } as const;
  expect(await installPackages(npm, [target], options)).toEqual({
    code: null,
    output: 'npm was not found in the PATH',
  });
});
