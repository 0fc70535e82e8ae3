import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { PackedPackage } from './pack-packages.ts';
import { isRecord, readJson } from './read-json.ts';
import { unreachableModules } from './unreachable-modules.ts';

const topLevelFiles = ['LICENSE', 'README.md', 'package.json'];

/** The problems of a tarball, one sentence each. */
export async function tarballFaults(pack: PackedPackage): Promise<readonly string[]> {
  const files = await listFiles(pack.contents);
  const faults = [
    ...topLevelFiles.filter((name) => !files.includes(name)).map((name) => `${name} is missing`),
    ...files.flatMap((file) => fileFaults(file, pack)),
  ];
  for (const file of files.filter((name) => name.endsWith('.map'))) faults.push(...(await mapFaults(file, pack)));
  if (pack.name === '@halyard/core' && !files.includes('docs/README.md')) faults.push('docs/README.md is missing');
  const { bin, exports } = await readJson(join(pack.contents, 'package.json'));
  for (const name of await unreachableModules(
    pack.contents,
    files.filter((file) => !isOfPage(file) && !file.startsWith('template/') && !file.startsWith('docs/')),
    { ...asRecord(exports), ...asRecord(bin) },
  )) {
    faults.push(`${name} cannot be reached from the exports or programs`);
  }
  return [...faults, ...(await manifestFaults(pack))];
}

function fileFaults(file: string, { folder, name }: PackedPackage): readonly string[] {
  if (topLevelFiles.includes(file)) return [];
  // The files of the apps that create-halyard creates.
  if (file.startsWith('template/')) return [];
  // Scripts that the server sends to browsers as they are.
  if (/^page\/[\w-]+\.js$/.test(file)) return [];
  // The guides, for coding agents.
  if (name === '@halyard/core' && /^docs\/.+\.(md|png|jpg|svg)$/.test(file)) return [];
  if (!file.startsWith('dist/')) return [`${file} is neither dist, page nor ${topLevelFiles.join(', ')}`];
  if (/\.(test|test-d|full|postgres|campaign|bench)\./.test(file)) return [`${file} is a test`];
  if (file.endsWith('tsbuildinfo')) return [`${file} is a build file of the compiler`];
  // A page that a bundler builds: its `index.html` loads them.
  if (isOfPage(file)) return [];
  // Parts of a bundle that are loaded on demand: their maps name the sources.
  if (file.startsWith('dist/chunks/')) return [];

  const compiled = /^dist\/(.+?)(\.d\.ts|\.js)(\.map)?$/.exec(file);
  if (compiled === null) return [];
  const source = join(folder, 'src', compiled[1] ?? '');
  const isAsset = existsSync(join(folder, 'src', file.slice('dist/'.length)));
  return isAsset || existsSync(`${source}.ts`) || existsSync(`${source}.tsx`)
    ? []
    : [`${file} has no source: delete dist and build again`];
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

function isOfPage(file: string): boolean {
  return file.startsWith('dist/app/');
}

/** A debugger needs each source of a map in the map or in the tarball. */
async function mapFaults(file: string, { contents }: PackedPackage): Promise<readonly string[]> {
  const path = join(contents, file);
  const { sources, sourcesContent } = await readJson(path);
  if (!Array.isArray(sources)) return [`${file} names no sources`];
  return sources.flatMap((source: unknown, index) => {
    const isInMap = Array.isArray(sourcesContent) && typeof sourcesContent[index] === 'string';
    const isInTarball = existsSync(resolve(dirname(path), String(source)));
    return isInMap || isInTarball ? [] : [`${file} points at ${String(source)}, which is not in the tarball`];
  });
}

async function manifestFaults({ contents, folder }: PackedPackage): Promise<readonly string[]> {
  const text = await readFile(join(contents, 'package.json'), 'utf8');
  const leftovers = ['workspace:', 'catalog:', '@halyard/source'].filter((word) => text.includes(word));
  const { sideEffects, license, engines, type } = await readJson(join(contents, 'package.json'));
  return [
    ...leftovers.map((word) => `package.json still contains ${word}`),
    ...(sideEffects === false ? [] : ['package.json does not contain sideEffects: false']),
    ...(license === 'MIT' ? [] : ['package.json does not contain license: MIT']),
    ...(type === 'module' ? [] : ['package.json does not contain type: module']),
    ...(engines === undefined ? ['package.json contains no engines'] : []),
    ...(await exportFaults(folder)),
  ];
}

/** The published exports must equal those of the workspace without the source condition. */
async function exportFaults(folder: string): Promise<readonly string[]> {
  const { exports: inWorkspace, publishConfig } = await readJson(join(folder, 'package.json'));
  const published: unknown =
    typeof publishConfig === 'object' && publishConfig !== null && 'exports' in publishConfig
      ? publishConfig.exports
      : undefined;
  const expected = JSON.stringify(inWorkspace, (key, value: unknown) =>
    key === '@halyard/source' ? undefined : value,
  );
  return JSON.stringify(published) === expected ? [] : ['publishConfig.exports differs from exports'];
}

export async function listFiles(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .toSorted();
}
