import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from './documents.ts';

const thrown = codesInSources();

it('docs/errors.md lists every code that the packages throw', () => {
  const listed = listedCodes();

  expect(thrown.size).toBeGreaterThan(20);
  expect([...thrown].filter((code) => !listed.has(code))).toEqual([]);
});

it('docs/errors.md lists no code that no package throws', () => {
  expect([...listedCodes()].filter((code) => !thrown.has(code))).toEqual([]);
});

/** All words in code spans that look like error codes. */
function listedCodes(): ReadonlySet<string> {
  const text = readFileSync(join(root, 'docs/errors.md'), 'utf8');
  const codes = [...text.matchAll(/`([A-Z]+(?:_[A-Z]+)*)`/g)].map(([, code = '']) => code);
  return new Set(codes.filter((code) => !notCodes.has(code)));
}

/** Words in capitals that are not error codes. */
const notCodes: ReadonlySet<string> = new Set(['NODE_ENV', 'HALYARD_SECRET', 'SIGTERM', 'SIGINT', 'GET', 'POST']);

function codesInSources(): ReadonlySet<string> {
  // The client lists the codes that it receives, and the errors of the command line have none.
  const exclude = [
    '**/*.{test,full,campaign,postgres}.ts',
    '**/node_modules/**',
    'packages/client/**',
    'packages/cli/**',
  ];
  const files = globSync('packages/*/src/**/*.ts', { cwd: root, exclude });
  const codes = new Set<string>();
  for (const file of files) {
    const source = readFileSync(join(root, file), 'utf8');
    for (const code of codesIn(source)) codes.add(code);
  }
  return codes;
}

function codesIn(source: string): readonly string[] {
  if (!/Error\(|super\(|code:|invalidRequest\(/.test(source)) return [];
  const found = (pattern: RegExp): string[] => [...source.matchAll(pattern)].map(([, code = '']) => code);
  return [
    // Excludes the prefixes of Node's and the framework's own codes, and keys in brackets, such as
    // those of `process.env`.
    ...found(/(?<!\[)'(?!ERR_|FST_|HPE_|UND_)([A-Z]+(?:_[A-Z]+)+)'/g),
    // A single word is a code only after a kind, or as the value of `code`.
    ...found(/(?:'[a-z-]+',\s*|\bcode: )'([A-Z]+)'/g),
    ...found(/(?:NotFoundError|missing)\('([A-Za-z ]+)'/g).map(
      (noun) => `${noun.toUpperCase().replaceAll(' ', '_')}_NOT_FOUND`,
    ),
  ];
}
