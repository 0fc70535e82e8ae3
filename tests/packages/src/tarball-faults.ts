import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { PackedPackage } from './pack-packages.ts';
import { readJson } from './read-json.ts';
import { unreachableModules } from './unreachable-modules.ts';

const besidesDist = ['LICENSE', 'README.md', 'package.json'];

/** What is wrong with a tarball, in sentences. */
export async function tarballFaults(pack: PackedPackage): Promise<readonly string[]> {
  const files = await listFiles(pack.contents);
  const faults = [
    ...besidesDist.filter((name) => !files.includes(name)).map((name) => `${name} is missing`),
    ...files.flatMap((file) => fileFaults(file, pack)),
  ];
  for (const file of files.filter((name) => name.endsWith('.map'))) faults.push(...(await mapFaults(file, pack)));
  const { exports } = await readJson(join(pack.contents, 'package.json'));
  for (const name of await unreachableModules(pack.contents, files, exports)) {
    faults.push(`${name} cannot be reached from the exports`);
  }
  return [...faults, ...(await manifestFaults(pack))];
}

function fileFaults(file: string, { folder }: PackedPackage): readonly string[] {
  if (besidesDist.includes(file)) return [];
  if (!file.startsWith('dist/')) return [`${file} is neither dist nor ${besidesDist.join(', ')}`];
  if (/\.(test|test-d|bench)\./.test(file)) return [`${file} is a test`];
  if (file.endsWith('tsbuildinfo')) return [`${file} is the compiler's own`];

  const compiled = /^dist\/(.+?)(\.d\.ts|\.js)(\.map)?$/.exec(file);
  if (compiled === null) return [];
  const source = join(folder, 'src', compiled[1] ?? '');
  const isAsset = existsSync(join(folder, 'src', file.slice('dist/'.length)));
  return isAsset || existsSync(`${source}.ts`) || existsSync(`${source}.tsx`)
    ? []
    : [`${file} has no source any more: delete dist and build again`];
}

/** A map whose source is neither in it nor beside it leads a debugger nowhere. */
async function mapFaults(file: string, { contents }: PackedPackage): Promise<readonly string[]> {
  const path = join(contents, file);
  const { sources, sourcesContent } = await readJson(path);
  if (!Array.isArray(sources)) return [`${file} names no sources`];
  return sources.flatMap((source: unknown, index) => {
    const inside = Array.isArray(sourcesContent) && typeof sourcesContent[index] === 'string';
    const beside = existsSync(resolve(dirname(path), String(source)));
    return inside || beside ? [] : [`${file} points at ${String(source)}, which the tarball does not hold`];
  });
}

async function manifestFaults({ contents, folder }: PackedPackage): Promise<readonly string[]> {
  const text = await readFile(join(contents, 'package.json'), 'utf8');
  const left = ['workspace:', 'catalog:', '@halyard/source'].filter((word) => text.includes(word));
  const { sideEffects, license, engines, type } = await readJson(join(contents, 'package.json'));
  return [
    ...left.map((word) => `package.json still says ${word}`),
    ...(sideEffects === false ? [] : ['package.json does not say sideEffects: false']),
    ...(license === 'MIT' ? [] : ['package.json does not say license: MIT']),
    ...(type === 'module' ? [] : ['package.json does not say type: module']),
    ...(engines === undefined ? ['package.json names no engines'] : []),
    ...(await exportFaults(folder)),
  ];
}

/** The published exports are the ones of the workspace without the condition that leads to the sources. */
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

async function listFiles(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .toSorted();
}
