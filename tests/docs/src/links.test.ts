import { existsSync, globSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Document, readBlocks, readDocuments, root } from './documents.ts';

const documents = readDocuments('*.md', 'docs/**/*.md', '{packages,examples}/*/README.md', 'benchmarks/README.md');

describe.each(documents)('$path', (document) => {
  it('links only to existing files and headings', () => {
    expect(links(document).filter(({ target }) => !exists(document, target))).toEqual([]);
  });
});

describe.each(documents)('$path', (document) => {
  it('names only existing files of the repository', () => {
    expect(namedFiles(document).filter((path) => !isThere(path))).toEqual([]);
  });
});

/** Paths in code spans, such as `packages/core/src/index.ts`, and `src/limits.ts` of some package. */
function namedFiles(document: Document): readonly string[] {
  const { blocks, prose } = readBlocks(document);
  // The reader saves these.
  const own = blocks.map(({ language }) => /\[(.+)\]$/.exec(language)?.[1]);
  const spans = prose
    .map((text) => text.replaceAll(/\bsave this as `[^`]+`/gi, ''))
    .flatMap((text) => [...text.matchAll(/`([^`]+)`/g)].map(([, span = '']) => span));
  return spans.filter(
    (span) => /^(packages|docs|examples|tests|benchmarks|src)\/[\w./-]+$/.test(span) && !own.includes(span),
  );
}

function isThere(path: string): boolean {
  if (!path.startsWith('src/')) return existsSync(resolve(root, path));
  return globSync([`packages/*/${path}`, `examples/*/${path}`], { cwd: root }).length > 0;
}

/** Links and images that point into the repository. */
function links(document: Document): readonly { readonly line: number; readonly target: string }[] {
  return readBlocks(document).prose.flatMap((text, index) =>
    [...text.matchAll(/\]\(<?([^\s)>]+)/g)].flatMap(([, target = '']) =>
      /^[a-z][a-z\d+.-]*:/i.test(target) ? [] : [{ line: index + 1, target }],
    ),
  );
}

function exists(from: Document, target: string): boolean {
  const [path = '', anchor] = target.split('#');
  const absolute = path === '' ? resolve(root, from.path) : resolve(root, dirname(from.path), decodeURIComponent(path));
  if (!existsSync(absolute)) return false;
  if (anchor === undefined) return true;
  const [document] = readDocuments(relative(root, absolute));
  return document !== undefined && headings(document).includes(anchor);
}

/** The anchors that GitHub generates for the headings of a document. */
function headings(document: Document): readonly string[] {
  return readBlocks(document).prose.flatMap((text) => {
    const title = /^#{1,6}\s+(.*)$/.exec(text)?.[1];
    if (title === undefined) return [];
    const plain = title.toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, '');
    return [plain.trim().replaceAll(/\s/g, '-')];
  });
}
