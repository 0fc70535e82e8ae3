import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The top of the repository. */
export const root: string = resolve(import.meta.dirname, '../../..');

/** A Markdown file. */
export interface Document {
  /** Relative to the top of the repository. */
  readonly path: string;
  readonly lines: readonly string[];
}

/** The documents that fit one of the patterns, sorted by path. */
export function readDocuments(...patterns: readonly string[]): readonly Document[] {
  return globSync([...patterns], { cwd: root, exclude: ['**/node_modules/**'] })
    .toSorted()
    .map((path) => ({ path, lines: readFileSync(join(root, path), 'utf8').split('\n') }));
}

/** A fenced block of a document. */
export interface CodeBlock {
  /** What stands behind the fence, such as `ts`. */
  readonly language: string;
  /** Line of the opening fence, from 1. */
  readonly line: number;
  readonly lines: readonly string[];
}

/** The fenced blocks of a document, and the lines outside them with the blocks left empty. */
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
