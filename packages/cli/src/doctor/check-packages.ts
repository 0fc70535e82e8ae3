import semver from 'semver';
import type { AppPackages } from '../app-packages.ts';
import { counted } from '../terminal.ts';
import type { Check } from './check.ts';
import type { InstalledPackage, InstalledTree } from './installed-tree.ts';

/** Whether the installed packages are complete and fit together. */
export function checkPackages(tree: InstalledTree, folder: string, packages: AppPackages): readonly Check[] {
  const missing = checkInstalled(tree, folder, packages);
  if (missing !== undefined) return [missing];
  const faults = [...checkPeers(tree, packages), ...checkProviders(tree, folder, packages), ...checkCopies(tree)];
  return [checkHalyard(tree, packages), ...(faults.length > 0 ? faults : [fitting(tree)])];
}

function checkInstalled(
  { manifest, resolve }: InstalledTree,
  folder: string,
  packages: AppPackages,
): Check | undefined {
  const missing = Object.keys(manifest.dependencies ?? {}).filter((name) => resolve(folder, name) === undefined);
  if (missing.length === 0) return undefined;
  return {
    id: 'installed',
    status: 'failed',
    message: `Not installed: ${missing.join(', ')}`,
    fix: packages.installCommand().replace(/ add$/, ' install'),
  };
}

function checkHalyard({ packages: installed }: InstalledTree, packages: AppPackages): Check {
  const own = installed.filter(({ name }) => name.startsWith('@halyard/'));
  const id = 'halyard-versions';
  const versions = semver.rsort([...new Set(own.map(({ version }) => version))]);
  const [newest] = versions;
  if (newest === undefined) {
    return {
      id,
      status: 'failed',
      message: 'No package of Halyard is installed',
      fix: packages.installCommand('@halyard/core', '@halyard/server-fastify'),
    };
  }
  if (versions.length === 1) {
    return { id, status: 'ok', message: `Halyard ${newest} (${counted(own.length, 'package')})` };
  }
  const older = own.filter(({ version }) => version !== newest);
  return {
    id,
    status: 'failed',
    message: `Packages of Halyard have different versions: ${newest}, but ${older.map(({ name, version }) => `${name} ${version}`).join(', ')}`,
    fix: packages.installCommand(...new Set(older.map(({ name }) => `${name}@${newest}`))),
  };
}

/** The packages whose requirements are checked. Others report theirs when they are installed. */
function isChecked({ name }: InstalledPackage): boolean {
  return name === 'ai' || name.startsWith('@halyard/') || name.startsWith('@ai-sdk/');
}

function checkPeers({ packages: installed, resolve }: InstalledTree, packages: AppPackages): readonly Check[] {
  const faults = new Map<string, Check>();
  for (const one of installed.filter(isChecked)) {
    const { peerDependencies = {}, peerDependenciesMeta = {} } = one.manifest;
    for (const [name, range] of Object.entries(peerDependencies)) {
      const found = resolve(one.folder, name);
      if (found === undefined && peerDependenciesMeta[name]?.optional === true) continue;
      // A link into a workspace.
      if (found !== undefined && range.startsWith('workspace:')) continue;
      if (found !== undefined && semver.satisfies(found.version, range, { includePrerelease: true })) continue;
      faults.set(`${name} ${range}`, {
        id: `peer:${name}`,
        status: 'failed',
        message:
          found === undefined
            ? `${one.name} needs ${name}, which is not installed`
            : `${one.name} needs ${name} ${range}, but ${found.version} is installed`,
        fix: packages.installCommand(`${name}@${range.split('||').at(-1)?.trim() ?? range}`),
      });
    }
  }
  return [...faults.values()];
}

const interfacePackage = '@ai-sdk/provider';

/** A provider of another version of the AI SDK has models that core cannot call. */
function checkProviders(
  { manifest, packages: installed, resolve }: InstalledTree,
  folder: string,
  packages: AppPackages,
): readonly Check[] {
  const core = installed.find(({ name }) => name === '@halyard/core');
  const needed = core && resolve(core.folder, interfacePackage);
  if (needed === undefined) return [];
  const faults: Check[] = [];
  for (const name of Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })) {
    const provider = resolve(folder, name);
    if (provider?.manifest.dependencies?.[interfacePackage] === undefined) continue;
    if (!name.startsWith('@ai-sdk/')) continue;
    const used = resolve(provider.folder, interfacePackage);
    if (used === undefined || semver.major(used.version) === semver.major(needed.version)) continue;
    faults.push({
      id: `provider:${name}`,
      status: 'failed',
      message: `${name} ${provider.version} is for another version of the AI SDK: it uses ${interfacePackage} ${used.version}, and Halyard ${needed.version}`,
      fix: packages.installCommand(`${name}@latest`),
    });
  }
  return faults;
}

/** Packages of which a second copy breaks something: values of one are not those of the other. */
const single = ['ai', '@halyard/core', '@halyard/memory-postgres'];

function checkCopies({ packages: installed }: InstalledTree): readonly Check[] {
  return single.flatMap((name): readonly Check[] => {
    const copies = installed.filter((one) => one.name === name);
    if (copies.length < 2) return [];
    return [
      {
        id: `copies:${name}`,
        status: 'failed',
        message: `${name} is installed ${copies.length} times: ${copies.map(({ folder, version }) => `${version} in ${folder}`).join(', ')}`,
        fix: 'Use one version in all package.json files, delete node_modules and the lock file, and install again',
      },
    ];
  });
}

function fitting({ packages: installed }: InstalledTree): Check {
  const shown = ['ai', 'zod', 'fastify', 'pg'].flatMap((name) => {
    const found = installed.find((one) => one.name === name);
    return found === undefined ? [] : [`${name} ${found.version}`];
  });
  return { id: 'packages', status: 'ok', message: `Packages fit together: ${shown.join(', ')}` };
}
