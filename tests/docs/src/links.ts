import { existsSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { type Document, readBlocks, readDocuments, root } from './documents.ts';

export const documentsWithLinks = [
  '*.md',
  'docs/**/*.md',
  '{packages,examples}/*/README.md',
  'benchmarks/README.md',
] as const;

/** A link or an image that points into the repository. */
export interface Link {
  readonly line: number;
  /** As written. */
  readonly target: string;
  /** Relative to the root of the repository. */
  readonly path: string;
  readonly anchor: string | undefined;
}

export function linksOf(document: Document): readonly Link[] {
  return readBlocks(document).prose.flatMap((text, index) =>
    [...text.matchAll(/\]\(<?([^\s)>]+)/g)].flatMap(([, target = '']) =>
      /^[a-z][a-z\d+.-]*:/i.test(target) ? [] : [{ line: index + 1, target, ...resolveTarget(document, target) }],
    ),
  );
}

function resolveTarget(from: Document, target: string): Pick<Link, 'anchor' | 'path'> {
  const [path = '', anchor] = target.split('#');
  const absolute = resolve(root, dirname(from.path), decodeURIComponent(path));
  return { path: path === '' ? from.path : relative(root, absolute), anchor };
}

/**
 * Whether the site build, not the repository, contains the target: a page of the HTTP reference.
 */
export function isInReference({ path }: Link): boolean {
  return path.startsWith('docs/http/');
}

/** Whether a link leads to an existing file, and to a heading of it. */
export function leadsToFile({ anchor, path }: Link): boolean {
  if (!existsSync(resolve(root, path))) return false;
  const [document] = anchor === undefined ? [] : readDocuments(path);
  return hasHeading(document, anchor);
}

/** Whether a link leads to one of the documents, and to a heading of it. */
export function leadsToOneOf(documents: readonly Document[], { anchor, path }: Link): boolean {
  const document = documents.find((one) => one.path === path);
  return document !== undefined && hasHeading(document, anchor);
}

function hasHeading(document: Document | undefined, anchor: string | undefined): boolean {
  return anchor === undefined || (document !== undefined && headings(document).includes(anchor));
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
