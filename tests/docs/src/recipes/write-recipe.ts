import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type CodeBlock, type Document, readBlocks, readDocuments } from '../documents.ts';

/** A file that a recipe tells the reader to save. */
export interface RecipeFile {
  readonly document: string;
  /** The line of the fence: line 1 of the file is the line after it. */
  readonly line: number;
  /** As the recipe calls it, such as `app.ts`. */
  readonly name: string;
  readonly file: string;
}

/** Inside this package, so that imports resolve to its dependencies. */
export const recipesFolder: string = join(import.meta.dirname, '../../.recipes');

/** Writes the files of a recipe to an empty folder of that name below `.recipes`. */
export function writeRecipe(document: Document, folder: string): readonly RecipeFile[] {
  const target = join(recipesFolder, folder);
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  writeFileSync(join(target, 'package.json'), '{ "type": "module" }\n');
  return readBlocks(document).blocks.flatMap((block) => {
    const name = fileName(document, block);
    if (name === undefined) return [];
    const file = join(target, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${block.lines.join('\n')}\n`);
    return [{ document: document.path, line: block.line, name, file }];
  });
}

/** The recipe `docs/recipes/<name>.md`. */
export function readRecipe(name: string): Document {
  const [document] = readDocuments(`docs/recipes/${name}.md`);
  if (document === undefined) throw new TypeError(`There is no recipe ${name}`);
  return document;
}

/** The name in the line above the block, as in: Save this as `app.ts`. */
function fileName({ lines }: Document, { line }: CodeBlock): string | undefined {
  const above = lines.slice(0, line - 1).findLast((text) => text.trim() !== '') ?? '';
  return /\b[Ss]ave this as `([\w./[\]+-]+)`/.exec(above)?.[1];
}
