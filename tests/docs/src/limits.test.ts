import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { limitTable } from '../../../packages/server-fastify/src/admission/limits.ts';
import { root } from './documents.ts';

it('lists every limit of the server with its default and what it protects, in the order of the code', () => {
  const rows = readFileSync(join(root, 'docs/limits.md'), 'utf8')
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .filter(({ length }) => length === 6);
  const documented = rows.flatMap(([, name = '', written, , protects]) =>
    name.startsWith('`') ? [[name.slice(1, -1), written, protects]] : [],
  );
  expect(documented).toEqual(Object.entries(limitTable).map(([name, limit]) => [name, inWords(limit), limit.protects]));
});

function inWords({ default: value, unit }: { readonly default: number; readonly unit: string }): string {
  if (unit === 'ms') return `${value / 1_000} s`;
  if (unit !== 'bytes') return value < 10_000 ? String(value) : `${Math.floor(value / 1_000)} 000`;
  return value < 1024 * 1024 ? `${value / 1024} KiB` : `${value / 1024 / 1024} MiB`;
}
