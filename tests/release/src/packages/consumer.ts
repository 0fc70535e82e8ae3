import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PackedPackage } from './pack-packages.ts';
import { isRecord, readJson } from './read-json.ts';
import { run } from './run.ts';

/**
 * Creates an app from the files in `consumer/`. It installs the tarballs, and the `dependencies` of
 * this package from the registry. Overrides make the packages' dependencies on each other use the
 * tarballs too.
 */
export async function installTarballs(
  consumer: string,
  here: string,
  packages: readonly PackedPackage[],
): Promise<void> {
  await cp(join(here, 'consumer'), consumer, { recursive: true });
  const tarballs = Object.fromEntries(packages.map(({ name, tarball }) => [name, `file:${tarball}`]));
  const { dependencies } = await readJson(join(here, 'package.json'));
  const fromRegistry: Record<string, string> = {};
  for (const name of Object.keys(isRecord(dependencies) ? dependencies : {})) {
    if (name in tarballs) continue;
    fromRegistry[name] = String((await readJson(join(here, 'node_modules', name, 'package.json')))['version']);
  }
  await writeFile(
    join(consumer, 'package.json'),
    JSON.stringify({
      private: true,
      type: 'module',
      dependencies: { ...fromRegistry, ...tarballs },
      overrides: Object.fromEntries(Object.keys(tarballs).map((name) => [name, `$${name}`])),
    }),
  );
  await run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], consumer);
}

/**
 * The checks of the app, by name. They run with the Node in `CONSUMER_NODE`, by default with this
 * one.
 */
export function useTarballs(
  consumer: string,
  packages: readonly PackedPackage[],
): readonly (readonly [string, () => Promise<unknown>])[] {
  const node = process.env['CONSUMER_NODE'] ?? process.execPath;
  return [
    ['every export can be imported', () => importEverything(node, consumer, packages)],
    ['a script of an app', () => run(node, ['script.mjs'], consumer)],
    ['the command halyard', () => useCommand(node, consumer)],
    [
      'an app compiles with tsc --strict --module nodenext',
      () => compile(join(consumer, 'node_modules/typescript'), consumer),
    ],
  ];
}

async function importEverything(node: string, consumer: string, packages: readonly PackedPackage[]): Promise<void> {
  const names: string[] = [];
  for (const { name, contents } of packages) {
    const { exports } = await readJson(join(contents, 'package.json'));
    for (const path of Object.keys(isRecord(exports) ? exports : {})) {
      if (!path.endsWith('.json')) names.push(name + path.slice(1));
    }
  }
  const script = join(consumer, 'import-everything.mjs');
  await writeFile(script, names.map((name) => `await import(${JSON.stringify(name)});`).join('\n'));
  await run(node, [script], consumer);
}

/** Its hooks are loaded into an app, and it loads the packages of the app. */
async function useCommand(node: string, consumer: string): Promise<void> {
  const program = join(consumer, 'node_modules/@halyard/cli/dist/cli.js');
  await writeFile(
    join(consumer, 'described.mjs'),
    `import { createServer } from '@halyard/server-fastify';
const server = await createServer({ logger: false });
await server.listen();
`,
  );
  const document = JSON.parse(await run(node, [program, 'openapi', 'described.mjs'], consumer)) as unknown;
  if (!isRecord(document) || !isRecord(document['paths']) || document['paths']['/agents'] === undefined)
    throw new Error('halyard openapi does not describe the app');
  const checks = await run(node, [program, 'doctor', '--json'], consumer, { PORT: '0', DATABASE_URL: '' });
  if (!checks.includes('"id": "halyard-versions"')) throw new Error(`halyard doctor checks no packages: ${checks}`);
}

/**
 * Compiles the app with a package of TypeScript. Checks declarations too. Errors in declarations of
 * other projects are ignored, because an app has them with or without Halyard.
 */
export async function compile(compiler: string, consumer: string): Promise<void> {
  const tsc = join(compiler, 'bin/tsc');
  const options = ['--strict', '--module', 'nodenext', '--types', 'node', '--noEmit', '--pretty', 'false'];
  try {
    await run(process.execPath, [tsc, ...options, 'compile.ts'], consumer);
    await run(process.execPath, [tsc, ...options, '--exactOptionalPropertyTypes', 'options.ts'], consumer);
  } catch (error) {
    const faults = String(error)
      .split('\n')
      .filter((line) => /^\S+\(\d+,\d+\): error|^error/.test(line));
    const foreign = faults.filter((line) => /^node_modules\/(?!@halyard\/)/.test(line));
    if (faults.length === 0 || foreign.length < faults.length) throw error;
  }
}
