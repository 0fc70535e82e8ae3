import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, ConflictError, HalyardError, isProduction, type Logger, NotFoundError } from '@halyard/contracts';
import { diff, gt, valid } from 'semver';
import { type AppPackage, appDirectory, appPackages, installedVersion } from './app-packages.ts';
import { writeEnvFile } from './env-file.ts';
import { latestVersion } from './latest-version.ts';
import { findPackageManager, installPackages, type Target } from './package-manager.ts';

/** Options of `/updates` and `/setup-observability`, which change the app's own files. */
export interface UpdatesOptions {
  /** Allow changes of files when NODE_ENV is production. Default: false. */
  readonly allowInProduction?: boolean | undefined;
  /**
   * The directory of the app. Default: the nearest one with a `package.json`, from the working
   * directory upwards.
   */
  readonly directory?: string | undefined;
  /** The npm registry. Default: `npm_config_registry`, else https://registry.npmjs.org. */
  readonly registry?: string | undefined;
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
/** How long the result of a check is cached when the registry was unreachable. */
const unreachableMs = 60_000;

/**
 * Finds and installs newer versions of the Halyard packages among the app's direct dependencies.
 */
export class Updates {
  readonly #options: UpdatesOptions;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #checked: { readonly result: Promise<UpdatesFound>; until: number } | undefined;
  #isInstalling = false;

  constructor(options: UpdatesOptions, { clock, logger }: { readonly clock: Clock; readonly logger: Logger }) {
    this.#options = options;
    this.#clock = clock;
    this.#logger = logger;
  }

  /**
   * Lists the available updates. The result is cached for an hour. If the registry is unreachable,
   * the list is empty and the message reports it.
   */
  check(): Promise<UpdatesFound> {
    const now = this.#clock.now();
    if (this.#checked === undefined || this.#checked.until <= now) {
      const checked = { result: this.#findUpdates(() => (checked.until = now + unreachableMs)), until: now + hourMs };
      this.#checked = checked;
    }
    return this.#checked.result;
  }

  /**
   * Installs the latest version of one package, or of all. Returns the versions that are installed
   * afterwards. If that fails, restores `package.json` and the lockfile.
   *
   * @throws HalyardError (`NOT_IN_PRODUCTION`, `UPDATE_FAILED`), NotFoundError for a package that
   * is not a direct dependency, ConflictError while another installation runs.
   */
  async install(packageName: string | undefined): Promise<readonly InstalledUpdate[]> {
    const directory = await this.#changeableDirectory();
    const dependencies = await appPackages(directory);
    const wanted = packageName === undefined ? dependencies : dependencies.filter(({ name }) => name === packageName);
    if (packageName !== undefined && wanted.length === 0) throw new NotFoundError('package', packageName);
    if (this.#isInstalling) throw new ConflictError('UPDATE_RUNNING', 'Another update is being installed');

    this.#isInstalling = true;
    try {
      return await this.#install(directory, wanted);
    } finally {
      this.#isInstalling = false;
      this.#checked = undefined;
    }
  }

  /**
   * Sets variables in the `.env` file of the app.
   *
   * @throws HalyardError (`NOT_IN_PRODUCTION`), ConflictError (`ENV_FILE_REFUSED`).
   */
  async setVariables(variables: Readonly<Record<string, string>>): Promise<void> {
    await writeEnvFile(await this.#changeableDirectory(), variables);
  }

  async #changeableDirectory(): Promise<string> {
    if (isProduction() && this.#options.allowInProduction !== true) {
      const message =
        'The files of the app cannot be changed in production unless the option `updates.allowInProduction` is set';
      throw new HalyardError('forbidden', 'NOT_IN_PRODUCTION', message);
    }
    return this.#directory();
  }

  async #findUpdates(onUnreachable: () => void): Promise<UpdatesFound> {
    const packages = await appPackages(await this.#directory());
    const updates: AvailableUpdate[] = [];
    let failure: unknown;
    await Promise.all(
      packages.map(async ({ installed, name }) => {
        const current = installed === undefined ? null : valid(installed);
        if (current === null) return;
        try {
          const latest = await latestVersion(this.#registry, name);
          if (latest !== undefined && gt(latest, current))
            updates.push({ name, installed: current, latest, type: updateType(current, latest) });
        } catch (error) {
          failure = error;
        }
      }),
    );
    if (failure !== undefined) {
      onUnreachable();
      const { cause } = failure instanceof Error ? failure : {};
      const reason = cause instanceof Error ? cause.message : cause;
      this.#logger.warn({ reason }, 'could not check for updates: the package registry is unreachable');
      const message = 'The package registry cannot be reached: it is unknown whether there are updates';
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
    const targets = await this.#findTargets(packages);
    if (targets.length === 0) return [];
    const manager = await findPackageManager(directory);
    const restore = await snapshotFiles([join(directory, 'package.json'), manager.lockfile]);
    const { code, output } = await installPackages(manager, targets, { directory, registry: this.#options.registry });
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
    const how = code === null ? 'could not be started' : `exited with code ${code}`;
    throw new HalyardError(
      'failed',
      'UPDATE_FAILED',
      `Could not update ${names}: ${manager.command} ${how}. The log contains its output`,
    );
  }

  async #findTargets(packages: readonly AppPackage[]): Promise<readonly (Target & { readonly from: string | null })[]> {
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

function updateType(installed: string, latest: string): AvailableUpdate['type'] {
  const difference = diff(installed, latest)?.replace('pre', '');
  return difference === 'major' || difference === 'minor' ? difference : 'patch';
}

/** Reads the files and returns a function that restores them. */
async function snapshotFiles(paths: readonly (string | undefined)[]): Promise<() => Promise<void>> {
  const files = await Promise.all(
    paths.flatMap((path) => (path === undefined ? [] : [readFile(path).then((content) => ({ path, content }))])),
  );
  return async () => {
    for (const { content, path } of files) if (!content.equals(await readFile(path))) await writeFile(path, content);
  };
}
