import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path/posix';
import { isRecord, readJson } from './read-json.ts';

/** The modules among `files` that nothing leads to from the exports: test helpers, or what somebody forgot to delete. */
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
  const waiting = targets(exports).map((target) => stem(normalize(target)));
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (reached.has(name)) continue;
    reached.add(name);
    for (const file of modules.get(name) ?? []) {
      const text = await readFile(join(contents, file), 'utf8');
      for (const [, path = ''] of text.matchAll(/['"](\.{1,2}\/[^'"]+)['"]/g)) {
        waiting.push(stem(join(dirname(file), path)));
      }
      for (const source of await sourcesOf(join(contents, file))) {
        waiting.push(stem(join(dirname(file), source).replace(/^src\//, 'dist/')));
      }
    }
  }
  return [...modules.keys()].filter((name) => !reached.has(name));
}

function targets(exports: unknown): readonly string[] {
  if (typeof exports === 'string') return [exports];
  return isRecord(exports) ? Object.values(exports).flatMap(targets) : [];
}

/** What a script was made of: several modules where it is a bundle, each with its declarations. */
async function sourcesOf(path: string): Promise<readonly string[]> {
  if (!existsSync(`${path}.map`)) return [];
  const { sources } = await readJson(`${path}.map`);
  return Array.isArray(sources) ? sources.map(String) : [];
}

/** A module and its declarations are one: what is only types is reached through these. */
function stem(file: string): string {
  return file.replace(/(\.d)?\.(js|ts)$/, '');
}
