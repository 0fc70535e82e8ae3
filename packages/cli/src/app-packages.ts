import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CliError } from './cli-error.ts';

/** The packages of the app in a folder: those that it has installed, not those of this program. */
export class AppPackages {
  readonly #folder: string;
  readonly #require: NodeJS.Require;

  constructor(folder: string) {
    this.#folder = folder;
    this.#require = createRequire(join(folder, 'package.json'));
  }

  has(name: string): boolean {
    return this.#find(name) !== undefined;
  }

  /** The command that installs packages, with the package manager of the app. */
  installCommand(...packages: readonly string[]): string {
    return [installer(this.#folder), ...packages.map((name) => (/[\s|<>^*]/.test(name) ? `"${name}"` : name))].join(
      ' ',
    );
  }

  /** @throws CliError if the app has not installed the package. */
  async load(name: string, purpose: string): Promise<unknown> {
    const file = this.#find(name);
    if (file === undefined) {
      throw new CliError(`${purpose} needs the package ${name}, which is not installed in ${this.#folder}.`, {
        fix: this.installCommand(name),
      });
    }
    return (await import(pathToFileURL(file).href)) as unknown;
  }

  #find(name: string): string | undefined {
    try {
      return this.#require.resolve(name);
    } catch {
      return undefined;
    }
  }
}

const installers: readonly (readonly [lockFile: string, command: string])[] = [
  ['pnpm-lock.yaml', 'pnpm add'],
  ['yarn.lock', 'yarn add'],
  ['bun.lock', 'bun add'],
  ['package-lock.json', 'npm install'],
];

/** By the nearest lock file: that of a monorepo is above the app. */
function installer(folder: string): string {
  for (let place = folder; ; place = dirname(place)) {
    const found = installers.find(([lockFile]) => existsSync(join(place, lockFile)));
    if (found !== undefined) return found[1];
    if (dirname(place) === place) return 'npm install';
  }
}

/** The fields of a `package.json` that this program reads. */
export interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/** The `package.json` in a folder. Undefined: there is none that can be read. */
export function readManifest(folder: string): Manifest | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  } catch {
    return undefined;
  }
}
