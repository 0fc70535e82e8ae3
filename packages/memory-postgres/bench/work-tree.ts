import { join } from 'node:path';
import type * as core from '@halyard/core';
import type * as storage from '../src/index.ts';

/**
 * The packages that are measured: those of this work tree of the repository, or of another one that
 * TREE names, such as one of an older commit.
 */
export const packagesPath: string = join(process.env['TREE'] ?? join(import.meta.dirname, '../../..'), 'packages');

export async function importCore(): Promise<typeof core> {
  return (await import(join(packagesPath, 'core/src/index.ts'))) as typeof core;
}

export async function importStorage(): Promise<typeof storage> {
  return (await import(join(packagesPath, 'memory-postgres/src/index.ts'))) as typeof storage;
}
