import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { exists } from './app-packages.ts';
import { windowsProgram } from './windows-program.ts';

export interface PackageManager {
  readonly command: 'npm' | 'pnpm' | 'yarn' | 'bun';
  /**
   * The path of its lockfile: in the app's directory or a directory above, such as the root of a
   * workspace.
   */
  readonly lockfile: string | undefined;
}

/** A package and the version to install. */
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
const maxOutputLength = 8_192;

/** The package manager of the nearest lockfile from the app's directory upwards; else npm. */
export async function findPackageManager(directory: string): Promise<PackageManager> {
  for (let at = directory; ; at = dirname(at)) {
    for (const [file, command] of lockfiles) {
      const lockfile = join(at, file);
      if (await exists(lockfile)) return { command, lockfile };
    }
    if (dirname(at) === at) return { command: 'npm', lockfile: undefined };
  }
}

/** The result of a command. */
export interface CommandResult {
  /** Null if the command could not be started or was killed. */
  readonly code: number | null;
  /** The last 8192 characters of its output. */
  readonly output: string;
}

export interface InstallOptions {
  readonly directory: string;
  readonly registry: string | undefined;
  /** Default: the platform and the `PATH` of this process. */
  readonly platform?: NodeJS.Platform | undefined;
  readonly path?: string | undefined;
}

/** Installs exactly these versions, without running install scripts and without a shell. */
export async function installPackages(
  { command }: PackageManager,
  targets: readonly Target[],
  { directory, path = process.env['PATH'] ?? '', platform = process.platform, registry }: InstallOptions,
): Promise<CommandResult> {
  const program = platform === 'win32' ? await windowsProgram(command, path) : { file: command, args: [] };
  if (program === undefined) return { code: null, output: `${command} was not found in the PATH` };
  let result: CommandResult = { code: 0, output: '' };
  for (const isDevDependency of [false, true]) {
    const group = targets.filter((target) => target.isDevDependency === isDevDependency);
    if (group.length === 0 || result.code !== 0) continue;
    const packages = group.map(({ name, version }) => `${name}@${version}`);
    const args = [...program.args, ...buildArguments(command, isDevDependency), ...packages];
    result = await run(program.file, args, directory, registry);
  }
  return result;
}

function buildArguments(command: PackageManager['command'], isDevDependency: boolean): readonly string[] {
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

function run(file: string, args: readonly string[], cwd: string, registry: string | undefined): Promise<CommandResult> {
  const env = {
    ...process.env,
    // Every version of Yarn reads these variables, but not the same arguments.
    npm_config_ignore_scripts: 'true',
    YARN_ENABLE_SCRIPTS: 'false',
    COREPACK_ENABLE_DOWNLOAD_PROMPT: '0',
    ...(registry !== undefined && { npm_config_registry: registry, YARN_NPM_REGISTRY_SERVER: registry }),
  };
  const { promise, resolve } = Promise.withResolvers<CommandResult>();
  let output = '';
  const append = (chunk: string): void => {
    output = (output + chunk).slice(-maxOutputLength);
  };
  const child = spawn(file, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: limitMs, shell: false });
  child.stdout.setEncoding('utf8').on('data', append);
  child.stderr.setEncoding('utf8').on('data', append);
  child.on('error', (error) => resolve({ code: null, output: error.message }));
  child.on('close', (code) => resolve({ code, output }));
  return promise;
}
