import { readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Document, readBlocks, readDocuments, root } from './documents.ts';

/** The lists of the guides and recipes on GitHub, and the first page of the site. */
const starts = ['docs/README.md', 'docs/index.md', 'docs/recipes/README.md'];
const guides = readDocuments('docs/*.md', 'docs/{workflows,recipes,migrate}/*.md').filter(
  ({ path }) => !starts.includes(path),
);
const [readme] = readDocuments('README.md');
const [index] = readDocuments('docs/README.md');
const [recipes] = readDocuments('docs/recipes/README.md');
const [contributing] = readDocuments('CONTRIBUTING.md');
const packages = readdirSync(join(root, 'packages'));

it('the package table of the README and the layout in CONTRIBUTING.md list every package', () => {
  const table = readme?.lines.join('\n') ?? '';
  const layout = contributing?.lines.join('\n') ?? '';
  expect(packages.length).toBeGreaterThan(10);
  expect(packages.filter((name) => !table.includes(`${name}\`](packages/${name}) |`))).toEqual([]);
  expect(packages.filter((name) => !layout.includes(`packages/${name} `))).toEqual([]);
});

it('the first steps of the README install the packages of the guides', () => {
  const command = readme?.lines.find((line) => line.startsWith('npm install ')) ?? '';
  expect(command.split(' ').slice(2).toSorted()).toEqual([...readers].toSorted());
});

it('the index lists every guide', () => {
  const missing = guides.filter(({ path }) => {
    const list = path.startsWith('docs/recipes/') ? recipes : index;
    return list?.lines.some((line) => line.includes(`](${relative(dirname(list.path), path)})`)) !== true;
  });
  expect(missing.map(({ path }) => path)).toEqual([]);
});

describe.each(guides)('$path', (guide) => {
  it('begins with the use for a reader, and ends with the next pages', () => {
    const prose = readBlocks(guide).prose.filter((line) => line.trim() !== '');
    const headings = prose.filter((line) => line.startsWith('#'));
    expect(prose[1]).toMatch(/^[A-Z]/);
    expect(headings.at(-1)).toBe('## Next');
    expect(prose.slice(prose.indexOf('## Next') + 1).every((line) => line.startsWith('- ['))).toBe(true);
  });

  it('installs the packages that its samples import, unless the README has installed them', () => {
    expect(importedPackages(guide).filter((name) => !readers.has(name) && !installs(guide).has(name))).toEqual([]);
  });
});

describe.each(readDocuments('packages/*/README.md'))('$path', (document) => {
  it('installs the packages that its samples import, unless the README has installed them', () => {
    expect(importedPackages(document).filter((name) => !readers.has(name) && !installs(document).has(name))).toEqual(
      [],
    );
  });
});

/** The packages that a reader has installed after the first steps of the README. */
const readers = new Set([
  '@halyard/core',
  '@halyard/server-fastify',
  '@halyard/console',
  'ai',
  '@ai-sdk/openai',
  '@sinclair/typebox',
]);

/** The packages in the `npm install` lines of a document, in blocks or in the text. */
function installs(document: Document): ReadonlySet<string> {
  const commands = [...document.lines.join('\n').matchAll(/^npm install (.*)|`npm install ([^`]*)`/gm)];
  const words = commands.flatMap(([, line = '', inText = '']) =>
    `${line}${inText}`.replace(/\s+# .*/, '').split(/\s+/),
  );
  return new Set(words.map((word) => word.replace(/(.)@.*$/, '$1')));
}

function importedPackages(document: Document): readonly string[] {
  const code = readBlocks(document)
    .blocks.filter(({ language }) => language === 'ts' || language === 'tsx')
    .flatMap(({ lines }) => lines)
    .join('\n');
  const names = [...code.matchAll(/ from '([^'.][^']*)'/g)].map(([, name = '']) => packageOf(name));
  return [...new Set(names)].filter((name) => !name.startsWith('node:')).toSorted();
}

/** `@halyard/core` of `@halyard/core/testing`. */
function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
