import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isRecord, readJson } from './read-json.ts';
import { listFiles } from './tarball-faults.ts';

/**
 * The most that may be installed: kilobytes of each unpacked package, and what core and
 * server-fastify install together.
 */
export interface Budgets {
  readonly packages: Readonly<Record<string, number>>;
  readonly installed: { readonly packages: number; readonly megabytes: number };
}

export async function readBudgets(path: string): Promise<Budgets> {
  const { installed, packages } = await readJson(path);
  if (!isRecord(packages) || !isRecord(installed)) throw new TypeError(`${path} is not of the type Budgets`);
  return {
    packages: Object.fromEntries(Object.entries(packages).map(([name, most]) => [name, Number(most)])),
    installed: { packages: Number(installed['packages']), megabytes: Number(installed['megabytes']) },
  };
}

/** The bytes of all files of a folder. */
export async function bytesOf(folder: string): Promise<number> {
  const sizes = await Promise.all((await listFiles(folder)).map(async (file) => (await stat(join(folder, file))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

export function expectAtMost(what: string, actual: number, most: number | undefined): void {
  if (most === undefined || Number.isNaN(most)) throw new Error(`budgets.json has no budget for ${what}`);
  if (actual > most) throw new Error(`${what}: ${Math.ceil(actual)}, and budgets.json allows ${most}`);
}
