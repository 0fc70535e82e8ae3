import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

it('knows every code that docs/errors.md lists', () => {
  const rows = read('docs/errors.md').matchAll(/^\| [^|]+ \| (`[A-Z_]+`(?:, `[A-Z_]+`)*) \|/gm);
  const listed = [...rows].flatMap(([, codes = '']) => codes.replaceAll('`', '').split(', '));
  const known = [...read('packages/client/src/error-code.ts').matchAll(/'([A-Z_]+)'/g)].map(([, code]) => code);
  expect(listed.length).toBeGreaterThan(50);
  expect(known).toEqual(listed.toSorted((one = '', other = '') => (one < other ? -1 : 1)));
});
