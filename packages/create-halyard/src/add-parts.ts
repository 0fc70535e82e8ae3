import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { newSecrets } from './app-files.ts';
import { versionForDependency } from './app-manifest.ts';
import type { PackageManager } from './choices.ts';
import { CreateError } from './create-error.ts';
import { packageCommands } from './package-commands.ts';
import { type PartName, parts } from './parts.ts';
import type { RenderContext } from './render.ts';
import { templateFiles } from './template-files.ts';

/** The files that were added, and the remaining steps. */
export interface Added {
  readonly written: readonly string[];
  /** Files that existed and were not changed. */
  readonly kept: readonly string[];
  /** The next steps of a person, in this order. */
  readonly steps: readonly string[];
}

interface ExistingApp {
  readonly folder: string;
  readonly name: string;
  readonly packageManager: PackageManager;
  readonly halyardVersion: string;
  readonly dependencies: ReadonlySet<string>;
  readonly scripts: ReadonlySet<string>;
}

/**
 * Adds parts to an existing app: writes the files that it does not have, and changes none.
 *
 * @throws CreateError if the folder contains no app with Halyard.
 */
export function addParts(folder: string, names: readonly PartName[], fallback: PackageManager): Added {
  const app = readApp(resolve(folder), fallback);
  const context = toContext(app, names);
  const written: string[] = [];
  const kept: string[] = [];
  const chosen = names.map((name) => parts[name]);
  for (const [path, content] of templateFiles(
    chosen.flatMap(({ folders }) => folders),
    context,
  )) {
    const file = join(app.folder, path);
    if (existsSync(file)) kept.push(path);
    else {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content, { flag: 'wx' });
      written.push(path);
    }
  }
  const { add, addDev } = packageCommands[app.packageManager];
  const missing = (dependencies: readonly string[]): string =>
    dependencies
      .filter((name) => !app.dependencies.has(name))
      .map((name) => ` ${name}@${versionForDependency(name, app.halyardVersion)}`)
      .join('');
  const dependencies = missing(chosen.flatMap((part) => part.dependencies));
  const devDependencies = missing(chosen.flatMap((part) => part.devDependencies));
  return {
    written,
    kept,
    steps: [
      ...(dependencies === '' ? [] : [add + dependencies]),
      ...(devDependencies === '' ? [] : [addDev + devDependencies]),
      ...chosen.flatMap(({ scripts }) =>
        Object.entries(scripts)
          .filter(([script]) => !app.scripts.has(script))
          .map(
            ([script, command]) => `In package.json, scripts: ${JSON.stringify(script)}: ${JSON.stringify(command)}`,
          ),
      ),
      ...chosen.flatMap(({ steps }) => steps.map((step) => fill(step, context))),
    ],
  };
}

function fill(text: string, { values }: RenderContext): string {
  return text.replaceAll(/\{\{(\w+)\}\}/g, (whole, name: string) => values[name] ?? whole);
}

function toContext({ dependencies, name, packageManager }: ExistingApp, names: readonly PartName[]): RenderContext {
  return {
    flags: new Set([
      ...(dependencies.has('@electric-sql/pglite') && !names.includes('postgres') ? ['embedded'] : []),
      ...(dependencies.has('@halyard/auth-jwt') || names.includes('auth-jwt') ? ['jwt'] : []),
    ]),
    values: { ...packageCommands[packageManager], ...newSecrets(), name },
  };
}

const lockFiles: Readonly<Record<string, PackageManager>> = {
  'package-lock.json': 'npm',
  'pnpm-lock.yaml': 'pnpm',
  'yarn.lock': 'yarn',
  'bun.lock': 'bun',
};

function readApp(folder: string, fallback: PackageManager): ExistingApp {
  const file = join(folder, 'package.json');
  if (!existsSync(file)) throw new CreateError(`${folder} contains no package.json. Name the folder of the app.`);
  const manifest = asObject(parseJson(file));
  const dependencies = { ...asObject(manifest['devDependencies']), ...asObject(manifest['dependencies']) };
  const version = dependencies['@halyard/core'] ?? dependencies['@halyard/server-fastify'];
  if (typeof version !== 'string') throw new CreateError(`${file} does not depend on @halyard/core.`);
  const [lockFile] = Object.keys(lockFiles).filter((name) => existsSync(join(folder, name)));
  return {
    folder,
    name: typeof manifest['name'] === 'string' ? manifest['name'] : 'app',
    packageManager: (lockFile === undefined ? undefined : lockFiles[lockFile]) ?? fallback,
    halyardVersion: version,
    dependencies: new Set(Object.keys(dependencies)),
    scripts: new Set(Object.keys(asObject(manifest['scripts']))),
  };
}

function parseJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new CreateError(`${file} is not JSON.`, { cause: error });
  }
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
