import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compile } from './consumer.ts';
import { isRecord, readJson } from './read-json.ts';
import type { Registry } from './registry.ts';
import type { Report } from './report.ts';
import { run } from './run.ts';
import { bytesOf, type Budgets, expectAtMost } from './sizes.ts';

const nodeVersions = ['22', '24', '26'] as const;
const compilerVersions = ['5.9', '6', '7'] as const;

export interface InstallMatrixOptions {
  /** The folder of this package. */
  readonly here: string;
  readonly folder: string;
  readonly registry: Registry;
  readonly budgets: Budgets;
  readonly report: Report;
}

/**
 * Installs the packages from the registry with each package manager, and runs the same app on each
 * version of Node in each of the installations. Type-checks it with each version of TypeScript, and
 * measures what core and server-fastify install.
 */
export async function checkInstallations({
  budgets,
  folder,
  here,
  registry,
  report,
}: InstallMatrixOptions): Promise<void> {
  await mkdir(folder);
  const programs = join(folder, 'programs');
  await mkdir(programs);
  const nodes = await obtain(nodeVersions, 'Node', report, (version) => installNode(programs, version));
  const compilers = await obtain(compilerVersions, 'TypeScript', report, (version) =>
    installPackage(programs, `typescript-${version}`, `typescript@${version}`),
  );
  const managers = await obtain(['npm', 'pnpm', 'yarn', 'bun'], 'package manager', report, (name) =>
    installManager(programs, name),
  );

  const dependencies = await consumerDependencies(here);
  for (const [name, install] of managers) {
    const app = join(folder, name);
    const installed = await report.step(`${name} install`, async () => {
      await cp(join(here, 'consumer'), app, { recursive: true });
      await writeFile(join(app, '.npmrc'), registry.npmrc);
      await writeFile(join(app, 'package.json'), JSON.stringify({ private: true, type: 'module', dependencies }));
      await install(app);
    });
    if (!installed) continue;
    for (const [version, node] of nodes)
      await report.step(`an app installed by ${name}, on Node ${version}`, () => run(node, ['script.mjs'], app));
  }
  for (const [version, compiler] of compilers)
    await report.step(`an app compiles with TypeScript ${version}`, () => compile(compiler, join(folder, 'npm')));

  await report.step('size of core and server-fastify, installed', () =>
    measureInstallation(join(folder, 'measured'), registry, budgets),
  );
}

/** The things that could be installed, by name. Prints the others. */
async function obtain<Name extends string, Thing>(
  names: readonly Name[],
  kind: string,
  report: Report,
  install: (name: Name) => Promise<Thing>,
): Promise<readonly (readonly [Name, Thing])[]> {
  const obtained: (readonly [Name, Thing])[] = [];
  for (const name of names) {
    try {
      obtained.push([name, await install(name)]);
    } catch (error) {
      report.skip(`${kind} ${name}`, String(error).split('\n').slice(0, 3).join(' '));
    }
  }
  return obtained;
}

async function installPackage(programs: string, name: string, spec: string): Promise<string> {
  const folder = join(programs, name);
  await mkdir(folder);
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
  await run('npm', ['install', spec, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], folder);
  return join(folder, 'node_modules', spec.slice(0, spec.lastIndexOf('@')));
}

/** The package of the platform contains the program, so that no script has to download it. */
async function installNode(programs: string, version: string): Promise<string> {
  const { arch, platform } = process;
  const spec = `node-${platform === 'win32' ? 'win' : platform}-${arch}@${version}`;
  const folder = await installPackage(programs, `node-${version}`, spec);
  const program = join(folder, platform === 'win32' ? 'bin/node.exe' : 'bin/node');
  const actual = await run(program, ['--version'], programs);
  if (!actual.startsWith(`v${version}.`)) throw new Error(`node-${version} is ${actual.trim()}`);
  return program;
}

type Install = (app: string) => Promise<unknown>;

async function installManager(programs: string, name: 'npm' | 'pnpm' | 'yarn' | 'bun'): Promise<Install> {
  switch (name) {
    case 'npm':
      return (app) => run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], app);
    case 'pnpm':
      return async (app) => {
        // pnpm asks about each install script. This one only prints warnings.
        await writeFile(join(app, 'pnpm-workspace.yaml'), 'allowBuilds:\n  protobufjs: false\n');
        await run('pnpm', ['install'], app);
      };
    case 'yarn': {
      const folder = await installPackage(programs, 'yarn', 'yarn@1');
      // A cache of its own: each check installs other bytes of the same version.
      const options = ['--non-interactive', '--no-lockfile', '--cache-folder', join(programs, 'yarn-cache')];
      return (app) => run(process.execPath, [join(folder, 'bin/yarn.js'), 'install', ...options], app);
    }
    case 'bun': {
      const { arch, platform } = process;
      const folder = await installPackage(
        programs,
        'bun',
        `@oven/bun-${platform}-${arch === 'arm64' ? 'aarch64' : arch}@1`,
      );
      const cache = { BUN_INSTALL_CACHE_DIR: join(programs, 'bun-cache') };
      return (app) => run(join(folder, 'bin/bun'), ['install'], app, cache);
    }
    default:
      return name satisfies never;
  }
}

/**
 * The Halyard packages from the registry of the check, the others in the versions of the workspace.
 */
async function consumerDependencies(here: string): Promise<Readonly<Record<string, string>>> {
  const { dependencies } = await readJson(join(here, 'package.json'));
  const versions: Record<string, string> = {};
  for (const name of Object.keys(isRecord(dependencies) ? dependencies : {})) {
    versions[name] = String((await readJson(join(here, 'node_modules', name, 'package.json')))['version']);
  }
  return versions;
}

/** Installs what the README installs, without what only a model provider needs. */
async function measureInstallation(folder: string, registry: Registry, budgets: Budgets): Promise<void> {
  await mkdir(folder);
  await writeFile(join(folder, '.npmrc'), registry.npmrc);
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
  const packages = ['@halyard/core', '@halyard/server-fastify', 'ai'];
  await run('npm', ['install', ...packages, '--no-audit', '--no-fund', '--loglevel=error'], folder);
  const lock = await readJson(join(folder, 'node_modules/.package-lock.json'));
  const count = Object.keys(isRecord(lock['packages']) ? lock['packages'] : {}).length;
  const megabytes = (await bytesOf(join(folder, 'node_modules'))) / 1e6;
  console.log(`      ${count} packages, ${megabytes.toFixed(1)} MB`);
  expectAtMost('installed packages', count, budgets.installed.packages);
  expectAtMost('installed megabytes', megabytes, budgets.installed.megabytes);
}
