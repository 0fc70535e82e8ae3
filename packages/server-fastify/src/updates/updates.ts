import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, ConflictError, HalyardError, type Logger, NotFoundError } from '@halyard/contracts';
import { diff, gt, valid } from 'semver';
import { isProduction } from '../production.ts';
import { type AppPackage, appDirectory, appPackages, installedVersion } from './app-packages.ts';
import { latestVersion } from './latest-version.ts';
import { findPackageManager, installPackages, type Target } from './package-manager.ts';

/** Options of `/updates` and `/setup-observability`, which change the app's own files. */
export interface UpdatesOptions {
  /** Let them change files where NODE_ENV is production. Default: no. */
  readonly allowInProduction?: boolean;
  /** Where the app is; default: the nearest `package.json` from the working directory upwards. */
  readonly directory?: string;
  /** Default: `npm_config_registry`, else https://registry.npmjs.org. */
  readonly registry?: string;
}

export interface AvailableUpdate {
  readonly name: string;
  readonly installed: string;
  readonly latest: string;
  readonly type: 'major' | 'minor' | 'patch';
}

export interface UpdatesFound {
  readonly hasUpdates: boolean;
  readonly updates: readonly AvailableUpdate[];
  readonly count: number;
  readonly message: string;
}

export interface InstalledUpdate {
  readonly name: string;
  readonly from: string | null;
  readonly to: string;
}

const hourMs = 3_600_000;
/** A registry that could not be reached is asked again soon. */
const failedMs = 60_000;

/** Looks for newer versions of this framework's packages among the app's direct dependencies, and installs them. */
export class Updates {
  readonly #options: UpdatesOptions;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #found: { readonly answer: Promise<UpdatesFound>; until: number } | undefined;
  #isInstalling = false;

  constructor(options: UpdatesOptions, { clock, logger }: { readonly clock: Clock; readonly logger: Logger }) {
    this.#options = options;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** The directory whose files may be changed. @throws HalyardError (`NOT_IN_PRODUCTION`) where they may not. */
  async changeableDirectory(): Promise<string> {
    if (isProduction() && this.#options.allowInProduction !== true) {
      const message =
        'The files of the app are not changed in production, unless the option `updates.allowInProduction` says so';
      throw new HalyardError('forbidden', 'NOT_IN_PRODUCTION', message);
    }
    return this.#directory();
  }

  /** What could be updated. A registry that cannot be reached is an answer without updates that says so. Kept for an hour. */
  check(): Promise<UpdatesFound> {
    const now = this.#clock.now();
    if (this.#found === undefined || this.#found.until <= now) {
      const found = { answer: this.#look(() => (found.until = now + failedMs)), until: now + hourMs };
      this.#found = found;
    }
    return this.#found.answer;
  }

  /**
   * Installs the latest version of one package, or of all. What it gives is what is there afterwards. Where that fails, `package.json` and lockfile are as before.
   *
   * @throws HalyardError, NotFoundError for what is no direct dependency, ConflictError while another one runs.
   */
  async install(packageName: string | undefined): Promise<readonly InstalledUpdate[]> {
    const directory = await this.changeableDirectory();
    const known = await appPackages(directory);
    const wanted = packageName === undefined ? known : known.filter(({ name }) => name === packageName);
    if (packageName !== undefined && wanted.length === 0) throw new NotFoundError('package', packageName);
    if (this.#isInstalling) throw new ConflictError('UPDATE_RUNNING', 'Another update is being installed');

    this.#isInstalling = true;
    try {
      return await this.#install(directory, wanted);
    } finally {
      this.#isInstalling = false;
      this.#found = undefined;
    }
  }

  async #look(onFailed: () => void): Promise<UpdatesFound> {
    const packages = await appPackages(await this.#directory());
    const updates: AvailableUpdate[] = [];
    let unreachable: unknown;
    await Promise.all(
      packages.map(async ({ installed, name }) => {
        const current = installed === undefined ? null : valid(installed);
        if (current === null) return;
        try {
          const latest = await latestVersion(this.#registry, name);
          if (latest !== undefined && gt(latest, current))
            updates.push({ name, installed: current, latest, type: kindOf(current, latest) });
        } catch (error) {
          unreachable = error;
        }
      }),
    );
    if (unreachable !== undefined) {
      onFailed();
      const { cause } = unreachable instanceof Error ? unreachable : {};
      const reason = cause instanceof Error ? cause.message : cause;
      this.#logger.warn({ reason }, 'the package registry could not be asked for updates');
      const message = 'The package registry cannot be reached: whether there are updates is not known';
      return { hasUpdates: false, updates: [], count: 0, message };
    }
    updates.sort((one, other) => (one.name < other.name ? -1 : 1));
    const count = updates.length;
    const message =
      count === 0
        ? 'Everything is up to date'
        : `${count} ${count === 1 ? 'package has' : 'packages have'} a newer version`;
    return { hasUpdates: count > 0, updates, count, message };
  }

  async #install(directory: string, packages: readonly AppPackage[]): Promise<readonly InstalledUpdate[]> {
    const targets = await this.#targetsOf(packages);
    if (targets.length === 0) return [];
    const manager = await findPackageManager(directory);
    const restore = await remember([join(directory, 'package.json'), manager.lockfile]);
    const { code, output } = await installPackages(manager, directory, this.#options.registry, targets);
    const updated = await Promise.all(
      targets.map(async ({ from, name, version }) => {
        const to = await installedVersion(directory, name);
        return { name, from, to, isReached: to === version };
      }),
    );
    if (code === 0 && updated.every(({ isReached }) => isReached))
      return updated.map(({ from, name, to }) => ({ name, from, to: to ?? '' }));

    await restore();
    const names = targets.map(({ name }) => name).join(', ');
    this.#logger.error({ command: manager.command, code, output, packages: names }, 'an update failed');
    const how = code === null ? 'could not be run' : `ended with ${code}`;
    throw new HalyardError(
      'failed',
      'UPDATE_FAILED',
      `Could not update ${names}: ${manager.command} ${how}; the log says more`,
    );
  }

  async #targetsOf(packages: readonly AppPackage[]): Promise<readonly (Target & { readonly from: string | null })[]> {
    const targets = await Promise.all(
      packages.map(async ({ installed, isDevDependency, name }) => {
        const [version, from] = [await latestVersion(this.#registry, name), installed ?? null];
        if (version === undefined) return [];
        const isNewer = from === null || valid(from) === null || gt(version, from);
        return isNewer ? [{ name, version, isDevDependency, from }] : [];
      }),
    );
    return targets.flat();
  }

  async #directory(): Promise<string> {
    return this.#options.directory ?? (await appDirectory(process.cwd()));
  }

  get #registry(): string {
    return this.#options.registry ?? (process.env['npm_config_registry'] || 'https://registry.npmjs.org/');
  }
}

function kindOf(installed: string, latest: string): AvailableUpdate['type'] {
  const difference = diff(installed, latest)?.replace('pre', '');
  return difference === 'major' || difference === 'minor' ? difference : 'patch';
}

/** @returns puts these files back as they are now. */
async function remember(paths: readonly (string | undefined)[]): Promise<() => Promise<void>> {
  const files = await Promise.all(
    paths.flatMap((path) => (path === undefined ? [] : [readFile(path).then((content) => ({ path, content }))])),
  );
  return async () => {
    for (const { content, path } of files) if (!content.equals(await readFile(path))) await writeFile(path, content);
  };
}
