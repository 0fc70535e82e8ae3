import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { checkTypes } from './check-types.ts';
import { readDocuments } from './documents.ts';
import { runSample, runServerSample } from './run-sample.ts';
import { writeSamples } from './samples.ts';

// Recipes consist of files that belong together: recipes.test.ts checks them.
const documents = readDocuments('README.md', 'docs/**/*.md', 'packages/*/README.md');
const samples = writeSamples(documents.filter(({ path }) => !path.startsWith('docs/recipes/')));
const success = { exitCode: 0, signal: null, stderr: '' };
/** What samples that show retries log. The others log nothing. */
const retried = /^halyard: a step failed and is retried \{\n[^]*?\n\}\n/gm;

it('finds samples, including samples that start a server', () => {
  expect(samples.map(({ document }) => document)).toContain('README.md');
  expect(samples.some(({ listens }) => listens)).toBe(true);
});

it('type-checks every sample', { timeout: 60_000 }, async () => {
  expect(await checkTypes(samples)).toEqual([]);
});

it('the samples of other frameworks use only names that they declare or import', { timeout: 60_000 }, async () => {
  const before = writeSamples(readDocuments('docs/migrate/*.md'), { language: 'js', folder: '.before' });
  expect(before.length).toBeGreaterThan(5);
  // Their packages are not installed here, so that only missing names are certain to be faults.
  const errors = await checkTypes(before);
  expect(errors.filter((error) => /\bTS(2304|2552|18004):/.test(error))).toEqual([]);
});

describe('running', { timeout: 30_000 }, () => {
  it.each(samples.filter(({ listens }) => !listens))('$place runs without errors', async (sample) => {
    const result = await runSample(sample);
    const isRetried = readFileSync(sample.file, 'utf8').includes('retries: {');
    expect({ ...result, stderr: isRetried ? result.stderr.replaceAll(retried, '') : result.stderr }).toEqual(success);
  });

  it.each(samples.filter(({ listens }) => listens))('$place serves requests and stops on SIGTERM', async (sample) => {
    expect(await runServerSample(sample, '/healthz')).toEqual({ ...success, status: 200 });
  });
});
