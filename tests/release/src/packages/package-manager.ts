import { run } from './run.ts';

/** Runs the npm commands of a document. */
export interface PackageManager {
  readonly name: string;
  run(command: string, folder: string): Promise<string>;
}

export const npm: PackageManager = {
  name: 'npm',
  run: (command, folder) => run('npm', [...words(command), '--loglevel=error'], folder),
};

/**
 * The same commands for pnpm. Unlike `pnpm init`, they do not pin a version of pnpm, which would be
 * downloaded.
 */
export const pnpm: PackageManager = {
  name: 'pnpm',
  run: (command, folder) => run('pnpm', pnpmArguments(words(command)), folder),
};

function words(command: string): readonly string[] {
  return command.split(/\s+/).slice(1);
}

function pnpmArguments(args: readonly string[]): readonly string[] {
  const [verb, ...rest] = args;
  if (verb === 'init') return ['init', '--no-init-package-manager'];
  return verb === 'install' ? ['add', ...rest] : args;
}
