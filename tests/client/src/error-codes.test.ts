import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

it('knows every code that docs/errors.md lists', () => {
  const listed = [...read('docs/errors.md').matchAll(/^\| [^|]+ \| `([A-Z_]+)` \|/gm)].map(([, code]) => code);
  const known = [...read('packages/client/src/error-code.ts').matchAll(/'([A-Z_]+)'/g)].map(([, code]) => code);
  expect(listed.length).toBeGreaterThan(50);
  expect(known).toEqual(listed.toSorted((one = '', other = '') => (one < other ? -1 : 1)));
});
