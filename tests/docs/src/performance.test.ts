import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from './documents.ts';
import { plotBenchmarks } from './plot-benchmarks.ts';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const results = read('benchmarks/results/2026-11.txt');

/** After new results: `pnpm test tests/docs/src/performance.test.ts -u`. */
it('the plot of docs/performance.md shows the saved results', async () => {
  await expect(plotBenchmarks(results)).toMatchFileSnapshot(join(root, 'docs/images/benchmarks.svg'));
});

it('the table of the benchmarks is the saved one', () => {
  expect(read('benchmarks/README.md')).toContain(results);
});

it('docs/performance.md states the figures of the saved results', () => {
  const page = read('docs/performance.md');
  const rows = results.split('\n').filter((line) => / \d.* (yes|MISSED) /.test(line));
  const missed = rows.filter((line) => line.includes(' MISSED ')).length;
  expect(page).toContain(`${rows.length} rows have a target, and ${missed} miss it`);
  const firstChunk = /^first chunk p50, 1 client.* ([\d.]+) ms +[\d.]+ ms +yes/m.exec(results)?.[1];
  const start = /^start to first 200 +(\d+) ms[ –]+([\d.]+) ×/m.exec(results);
  expect(page).toContain(`${Number(firstChunk)} ms`);
  expect(page).toContain(`${start?.[1]} ms`);
  expect(page).toContain(`${Number(start?.[2])} times`);
});
