import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path/posix';
import { isRecord, readJson } from './read-json.ts';

/**
 * The modules in `files` that the exports and programs do not import, directly or indirectly: test
 * helpers or forgotten files.
 */
export async function unreachableModules(
  contents: string,
  files: readonly string[],
  exports: unknown,
): Promise<readonly string[]> {
  const modules = new Map<string, readonly string[]>();
  for (const file of files.filter((name) => /\.(js|d\.ts)$/.test(name))) {
    modules.set(stem(file), [...(modules.get(stem(file)) ?? []), file]);
  }

  const reached = new Set<string>();
  const pending = targets(exports).map((target) => stem(normalize(target)));
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (reached.has(name)) continue;
    reached.add(name);
    for (const file of modules.get(name) ?? []) {
      const text = await readFile(join(contents, file), 'utf8');
      for (const [, path = ''] of text.matchAll(/['"](\.{1,2}\/[^'"]+)['"]/g)) {
        pending.push(stem(join(dirname(file), path)));
      }
      for (const source of await sourcesOf(join(contents, file))) {
        pending.push(stem(join(dirname(file), source).replace(/^src\//, 'dist/')));
      }
    }
  }
  return [...modules.keys()].filter((name) => !reached.has(name));
}

function targets(exports: unknown): readonly string[] {
  if (typeof exports === 'string') return [exports];
  return isRecord(exports) ? Object.values(exports).flatMap(targets) : [];
}

/** The sources of a script. A bundle has several, each with its own declarations. */
async function sourcesOf(path: string): Promise<readonly string[]> {
  if (!existsSync(`${path}.map`)) return [];
  const { sources } = await readJson(`${path}.map`);
  return Array.isArray(sources) ? sources.map(String) : [];
}

/**
 * A module and its declarations share one stem, because modules with only types are imported
 * through declarations.
 */
function stem(file: string): string {
  return file.replace(/(\.d)?\.(js|ts)$/, '');
}
