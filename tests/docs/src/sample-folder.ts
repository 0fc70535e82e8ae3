import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Creates a folder for samples outside of the checkout, in which a run that is stopped leaves
 * nothing. Imports resolve to the dependencies of this package.
 */
export function createSampleFolder(): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'halyard-docs-'));
  symlinkSync(join(import.meta.dirname, '../node_modules'), join(folder, 'node_modules'), 'dir');
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n');
  return folder;
}

export function removeSampleFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}
