import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { render, type RenderContext } from './render.ts';

const templateFolder = join(import.meta.dirname, '../template');

/** npm leaves files of these names out of a package, so the template has them without the dot. */
const dotted: Readonly<Record<string, string>> = {
  gitignore: '.gitignore',
  dockerignore: '.dockerignore',
  'env.example': '.env.example',
};

/** The rendered files of folders of the template, by their paths in the app. */
export function templateFiles(folders: readonly string[], context: RenderContext): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const folder of folders) {
    const root = join(templateFolder, folder);
    for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const file = join(entry.parentPath, entry.name);
      const path = relative(root, file).split(sep).join('/');
      files.set(dotted[path] ?? path, render(readFileSync(file, 'utf8'), context));
    }
  }
  return files;
}
