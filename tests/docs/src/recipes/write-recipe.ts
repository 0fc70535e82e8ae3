import { mkdirSync, writeFileSync } from 'node:fs';
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

/** Writes the files of a recipe to a folder inside one of `createSampleFolder`. */
export function writeRecipe(document: Document, folder: string): readonly RecipeFile[] {
  return namedBlocks(document).map(({ block, name }) => {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${block.lines.join('\n')}\n`);
    return { document: document.path, line: block.line, name, file };
  });
}

/** The blocks that a recipe tells the reader to save, with the names of their files. */
export function namedBlocks(document: Document): readonly { readonly block: CodeBlock; readonly name: string }[] {
  return readBlocks(document).blocks.flatMap((block) => {
    const name = fileName(document, block);
    return name === undefined ? [] : [{ block, name }];
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
