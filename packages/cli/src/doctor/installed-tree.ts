import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Manifest, readManifest } from '../app-packages.ts';

export interface InstalledPackage {
  readonly name: string;
  readonly version: string;
  readonly folder: string;
  readonly manifest: Manifest;
}

/** The app, and every package that it reaches by its dependencies. */
export interface InstalledTree {
  readonly manifest: Manifest;
  readonly packages: readonly InstalledPackage[];
  /** The package that code in this folder gets by this name. */
  readonly resolve: (from: string, name: string) => InstalledPackage | undefined;
}

/**
 * Reads the `package.json` of everything that the app in this folder has installed. Undefined: the
 * folder contains no app.
 */
export function readInstalledTree(folder: string): InstalledTree | undefined {
  const manifest = readManifest(folder);
  if (manifest === undefined) return undefined;
  const found = new Map<string, InstalledPackage>();
  const resolve = (from: string, name: string): InstalledPackage | undefined => {
    for (let place = from; ; place = dirname(place)) {
      const candidate = join(place, 'node_modules', name);
      const known = found.get(candidate) ?? readPackage(candidate);
      if (known !== undefined) return known;
      if (dirname(place) === place) return undefined;
    }
  };
  const waiting = dependenciesOf({ ...manifest.devDependencies, ...manifest.dependencies }, folder);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const one = resolve(next.from, next.name);
    if (one === undefined || found.has(one.folder)) continue;
    found.set(one.folder, one);
    const { dependencies, optionalDependencies, peerDependencies } = one.manifest;
    waiting.push(...dependenciesOf({ ...peerDependencies, ...optionalDependencies, ...dependencies }, one.folder));
  }
  return { manifest, packages: [...found.values()], resolve };
}

function dependenciesOf(names: object, from: string): { from: string; name: string }[] {
  return Object.keys(names).map((name) => ({ from, name }));
}

function readPackage(path: string): InstalledPackage | undefined {
  const manifest = readManifest(path);
  if (manifest?.name === undefined || manifest.version === undefined) return undefined;
  // Packages are linked in some layouts, and find their own dependencies from where they are.
  return { name: manifest.name, version: manifest.version, folder: realpathSync(path), manifest };
}
