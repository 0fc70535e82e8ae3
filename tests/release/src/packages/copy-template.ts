import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readBlocks, readDocuments, root } from '@halyard/test-docs/documents';
import { run } from './run.ts';
import { shellCommands } from './shell-commands.ts';
import type { WalkOptions } from './walk-documents.ts';

/** Follows the README of the template for adapters, and runs its tests. */
export async function copyTemplate({
  node,
  folder,
  registry,
  packageManager,
}: Omit<WalkOptions, 'step'>): Promise<void> {
  const [readme] = readDocuments('examples/adapter-template/README.md');
  if (readme === undefined) throw new Error('The template has no README.md');
  await mkdir(folder);
  await writeFile(join(folder, '.npmrc'), registry.npmrc);
  await cp(join(root, 'examples/adapter-template/src'), join(folder, 'src'), { recursive: true });
  for (const { lines } of readBlocks(readme).blocks.filter(({ language }) => language === 'sh')) {
    for (const { text } of shellCommands(lines)) {
      if (text.startsWith('npm ')) await packageManager.run(text, folder);
      else await run(node, [join('node_modules', 'vitest', 'vitest.mjs'), ...text.split(' ').slice(2)], folder);
    }
  }
}
