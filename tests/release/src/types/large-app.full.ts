import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { writeLargeApp } from '../../../../benchmarks/types/large-app.ts';

const root = join(import.meta.dirname, '../../../..');

it('type-checks an app with 200 tools and 50 workflows of 30 steps', async () => {
  // Here its imports resolve to the built packages of the workspace.
  const folder = await mkdtemp(join(import.meta.dirname, '.large-app-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = await writeLargeApp('halyard', folder);
  const config = join(folder, 'tsconfig.json');
  const compilerOptions = {
    // The built types, as an app sees them.
    customConditions: [],
    allowImportingTsExtensions: true,
    composite: false,
    declaration: false,
    isolatedDeclarations: false,
    noEmit: true,
    rewriteRelativeImportExtensions: false,
  };
  await writeFile(
    config,
    JSON.stringify({ extends: join(root, 'tsconfig.base.json'), compilerOptions, files: [file] }),
  );

  const compiler = join(root, 'node_modules/.bin/tsc');
  // Rejects for every error, such as an instantiation that is too deep.
  const { stdout } = await promisify(execFile)(compiler, ['-p', config, '--extendedDiagnostics']);

  // Does not depend on the machine. November 2026: 2.7 million.
  expect(Number(/^Instantiations:\s+(\d+)/mu.exec(stdout)?.[1])).toBeLessThan(4_000_000);
}, 900_000);
