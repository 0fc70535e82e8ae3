import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The root of the repository. */
export const root: string = resolve(import.meta.dirname, '../../..');

/** A Markdown file. */
export interface Document {
  /** Relative to the root of the repository. */
  readonly path: string;
  readonly lines: readonly string[];
}

/** The documents that match one of the patterns, sorted by path. */
export function readDocuments(...patterns: readonly string[]): readonly Document[] {
  return globSync([...patterns], { cwd: root, exclude: ['**/node_modules/**', 'docs/{api,http}/**'] })
    .toSorted()
    .map((path) => ({ path, lines: readFileSync(join(root, path), 'utf8').split('\n') }));
}

/** A fenced code block of a document. */
export interface CodeBlock {
  /** The info string of the fence, such as `ts`. */
  readonly language: string;
  /** The line of the opening fence, counted from 1. */
  readonly line: number;
  readonly lines: readonly string[];
}

/** The fenced blocks of a document, and its lines, in which the lines of blocks are empty. */
export function readBlocks({ lines }: Document): {
  readonly blocks: readonly CodeBlock[];
  readonly prose: readonly string[];
} {
  const blocks: CodeBlock[] = [];
  const prose: string[] = [];
  let open: { readonly language: string; readonly line: number; readonly lines: string[] } | undefined;
  lines.forEach((text, index) => {
    const fence = /^\s*```(.*)$/.exec(text);
    prose.push(open === undefined && fence === null ? text : '');
    if (open !== undefined && fence === null) open.lines.push(text);
    else if (open !== undefined) {
      blocks.push(open);
      open = undefined;
    } else if (fence !== null) open = { language: fence[1]?.trim() ?? '', line: index + 1, lines: [] };
  });
  return { blocks, prose };
}
