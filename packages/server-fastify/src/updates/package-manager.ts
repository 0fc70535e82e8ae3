import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { exists } from './app-packages.ts';

export interface PackageManager {
  readonly command: 'npm' | 'pnpm' | 'yarn' | 'bun';
  /** Where its lockfile is: the root of a workspace, or the app's own directory. */
  readonly lockfile: string | undefined;
}

/** A package and the version that it shall have. */
export interface Target {
  readonly name: string;
  readonly version: string;
  readonly isDevDependency: boolean;
}

const lockfiles = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
  ['package-lock.json', 'npm'],
] as const;

const limitMs = 300_000;
const keptOutput = 8_192;

/** Whose lockfile lies nearest, from the app's directory upwards; else npm. */
export async function findPackageManager(directory: string): Promise<PackageManager> {
  for (let at = directory; ; at = dirname(at)) {
    for (const [file, command] of lockfiles) {
      const lockfile = join(at, file);
      if (await exists(lockfile)) return { command, lockfile };
    }
    if (dirname(at) === at) return { command: 'npm', lockfile: undefined };
  }
}

/** What came of a command. */
export interface Ended {
  readonly code: number | null;
  /** The end of what it said. */
  readonly output: string;
}

/** Installs exactly these versions, without any script of any package, and waits for the end. Never through a shell. */
export async function installPackages(
  { command }: PackageManager,
  directory: string,
  registry: string | undefined,
  targets: readonly Target[],
): Promise<Ended> {
  let ended: Ended = { code: 0, output: '' };
  for (const isDevDependency of [false, true]) {
    const named = targets.filter((target) => target.isDevDependency === isDevDependency);
    if (named.length === 0 || ended.code !== 0) continue;
    const packages = named.map(({ name, version }) => `${name}@${version}`);
    ended = await run(command, [...argumentsOf(command, isDevDependency), ...packages], directory, registry);
  }
  return ended;
}

function argumentsOf(command: PackageManager['command'], isDevDependency: boolean): readonly string[] {
  switch (command) {
    case 'npm':
      return ['install', '--ignore-scripts', '--no-audit', '--no-fund', isDevDependency ? '--save-dev' : '--save-prod'];
    case 'pnpm':
      return ['add', '--ignore-scripts', isDevDependency ? '--save-dev' : '--save-prod'];
    case 'yarn':
      return isDevDependency ? ['add', '--dev'] : ['add'];
    case 'bun':
      return isDevDependency ? ['add', '--ignore-scripts', '--dev'] : ['add', '--ignore-scripts'];
    default:
      return command satisfies never;
  }
}

function run(command: string, args: readonly string[], cwd: string, registry: string | undefined): Promise<Ended> {
  const env = {
    ...process.env,
    // Yarn of any version listens to these alone.
    npm_config_ignore_scripts: 'true',
    YARN_ENABLE_SCRIPTS: 'false',
    COREPACK_ENABLE_DOWNLOAD_PROMPT: '0',
    ...(registry !== undefined && { npm_config_registry: registry, YARN_NPM_REGISTRY_SERVER: registry }),
  };
  const { promise, resolve } = Promise.withResolvers<Ended>();
  let output = '';
  const keep = (chunk: string): void => {
    output = (output + chunk).slice(-keptOutput);
  };
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: limitMs, shell: false });
  child.stdout.setEncoding('utf8').on('data', keep);
  child.stderr.setEncoding('utf8').on('data', keep);
  child.on('error', (error) => resolve({ code: null, output: error.message }));
  child.on('close', (code) => resolve({ code, output }));
  return promise;
}
