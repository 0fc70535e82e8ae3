import { existsSync, globSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Document, readBlocks, readDocuments, root } from './documents.ts';
import { documentsWithLinks, isInReference, leadsToFile, linksOf } from './links.ts';

const documents = readDocuments(...documentsWithLinks);

describe.each(documents)('$path', (document) => {
  it('links only to existing files and headings', () => {
    // http-reference.full.ts checks those into the HTTP reference.
    expect(linksOf(document).filter((link) => !isInReference(link) && !leadsToFile(link))).toEqual([]);
  });
});

describe.each(documents)('$path', (document) => {
  it('names only existing files of the repository', () => {
    expect(namedFiles(document).filter((path) => !isThere(path))).toEqual([]);
  });
});

/**
 * Paths in code spans, such as `packages/core/src/index.ts`, and `src/limits.ts` of some package.
 */
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
