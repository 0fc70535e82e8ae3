import { access, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** A Halyard package among the direct dependencies of the app. */
export interface AppPackage {
  readonly name: string;
  /** The version in `node_modules`; undefined when it is not installed. */
  readonly installed: string | undefined;
  readonly isDevDependency: boolean;
}

/**
 * The directory of the app: the nearest one with a `package.json` from `start` upwards; else
 * `start`.
 */
export async function appDirectory(start: string): Promise<string> {
  for (let directory = start; ; directory = dirname(directory)) {
    if (await exists(join(directory, 'package.json'))) return directory;
    if (dirname(directory) === directory) return start;
  }
}

/**
 * The Halyard packages among the direct dependencies of the app; empty if there is no readable
 * `package.json`.
 */
export async function appPackages(directory: string): Promise<readonly AppPackage[]> {
  const manifest = await readJson(join(directory, 'package.json'));
  const [production, development] = [namesIn(manifest, 'dependencies'), namesIn(manifest, 'devDependencies')];
  const names = [...new Set([...production, ...development])].filter((name) => name.startsWith('@halyard/'));
  return Promise.all(
    names.toSorted().map(async (name) => ({
      name,
      installed: await installedVersion(directory, name),
      isDevDependency: !production.includes(name),
    })),
  );
}

/** Searches `node_modules` of the app and of the directories above it, as Node does. */
export async function installedVersion(directory: string, name: string): Promise<string | undefined> {
  for (let at = directory; ; at = dirname(at)) {
    const version = readField(await readJson(join(at, 'node_modules', name, 'package.json')), 'version');
    if (typeof version === 'string') return version;
    if (dirname(at) === at) return undefined;
  }
}

export async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as unknown;
  } catch {
    return undefined;
  }
}

function namesIn(manifest: unknown, field: string): readonly string[] {
  const dependencies = readField(manifest, field);
  return typeof dependencies === 'object' && dependencies !== null ? Object.keys(dependencies) : [];
}

function readField(value: unknown, field: string): unknown {
  return typeof value === 'object' && value !== null ? (Reflect.get(value, field) as unknown) : undefined;
}
