import { AppPackages } from '../app-packages.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import type { DatabaseFlags } from '../database.ts';
import { checkDatabase } from '../doctor/check-database.ts';
import { checkKeys, checkNode, checkOptional } from '../doctor/check-environment.ts';
import { checkPackages } from '../doctor/check-packages.ts';
import { checkPort } from '../doctor/check-port.ts';
import { checkRestate } from '../doctor/check-restate.ts';
import type { Check } from '../doctor/check.ts';
import { readInstalledTree } from '../doctor/installed-tree.ts';
import { withProgress } from '../progress.ts';
import { counted, print, style } from '../terminal.ts';

export interface DoctorFlags extends DatabaseFlags {
  readonly json?: boolean;
  readonly restateAdmin?: string;
}

/** Checks the needs of the app in this folder. @returns 1 if something must be fixed. */
export async function doctor({ json = false, ...flags }: DoctorFlags): Promise<number> {
  const checks = await withProgress('Checking', () => check(process.cwd(), flags));
  const failed = checks.filter(({ status }) => status === 'failed').length;
  if (json) print(JSON.stringify({ ok: failed === 0, checks }, undefined, 2));
  else {
    for (const one of checks) printCheck(one);
    print();
    if (failed === 0) print(style('Nothing must be fixed.', 'green'));
    else print(style(`${counted(failed, 'thing')} must be fixed.`, 'red'));
  }
  return failed === 0 ? exitCodes.ok : exitCodes.failed;
}

async function check(folder: string, { restateAdmin, ...flags }: Omit<DoctorFlags, 'json'>): Promise<readonly Check[]> {
  const tree = readInstalledTree(folder);
  if (tree === undefined) {
    throw new CliError(`${folder} contains no package.json.`, { fix: 'Run halyard doctor in the folder of the app' });
  }
  const packages = new AppPackages(folder);
  const { env } = process;
  return [
    checkNode(process.versions.node),
    ...checkPackages(tree, folder, packages),
    ...checkKeys(tree.manifest, env),
    ...(await checkDatabase(flags, { env, folder, packages })),
    ...(await checkRestate({ admin: restateAdmin }, { packages })),
    await checkPort(env),
    ...checkOptional(tree.manifest, packages, env),
  ];
}

const marks: Readonly<Record<Check['status'], readonly [string, 'green' | 'yellow' | 'red' | 'dim']>> = {
  ok: ['✓', 'green'],
  warning: ['!', 'yellow'],
  failed: ['✗', 'red'],
  skipped: ['–', 'dim'],
};

function printCheck({ fix, message, status }: Check): void {
  const [mark, color] = marks[status];
  print(`${style(mark, color)} ${message}`);
  if (fix !== undefined) print(style(fix.replaceAll(/^/gm, '    '), 'cyan'));
}
