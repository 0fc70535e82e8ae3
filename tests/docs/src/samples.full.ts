import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkTypes } from './check-types.ts';
import { readDocuments } from './documents.ts';
import { runSample, runSamples, runServerSample } from './run-sample.ts';
import { createSampleFolder, removeSampleFolder } from './sample-folder.ts';
import { writeSamples } from './samples.ts';

// Recipes consist of files that belong together: recipes.test.ts checks them.
const documents = readDocuments('README.md', 'docs/**/*.md', 'packages/*/README.md');
const folder = createSampleFolder();
const samples = writeSamples(
  documents.filter(({ path }) => !path.startsWith('docs/recipes/')),
  folder,
);
afterAll(() => removeSampleFolder(folder));

const success = { exitCode: 0, signal: null, stderr: '' };
/** The log of samples that show retries. The others log nothing. */
const retried = /^halyard: a step failed and is retried \{\n[^]*?\n\}\n/gm;

it('finds samples, including samples that start a server', () => {
  expect(samples.map(({ document }) => document)).toContain('README.md');
  expect(samples.some(({ listens }) => listens)).toBe(true);
});

it('type-checks every sample', async () => {
  expect(await checkTypes(samples)).toEqual([]);
});

it('the samples of other frameworks use only names that they declare or import', async () => {
  const own = createSampleFolder();
  try {
    const before = writeSamples(readDocuments('docs/migrate/*.md'), own, 'js');
    expect(before.length).toBeGreaterThan(5);
    // Their packages are not installed here, so that only missing names are certain to be faults.
    const errors = await checkTypes(before);
    expect(errors.filter((error) => /\bTS(2304|2552|18004):/.test(error))).toEqual([]);
  } finally {
    removeSampleFolder(own);
  }
});

describe('running', () => {
  const sharing = samples.filter(({ dataDirs, listens }) => dataDirs.length === 0 && !listens);
  let outputs: readonly string[] = [];
  beforeAll(async () => {
    outputs = await runSamples(sharing);
  }, 600_000);

  it.each(sharing.map((sample, index) => ({ ...sample, index })))('$place runs without errors', ({ file, index }) => {
    expect(withoutRetries(file, outputs[index] ?? 'It did not run')).toBe('');
  });

  // A database that is not closed would stay in the process of the other samples.
  it.each(samples.filter(({ dataDirs, listens }) => dataDirs.length > 0 && !listens))(
    '$place runs without errors',
    async (sample) => {
      const result = await runSample(sample);
      expect({ ...result, stderr: withoutRetries(sample.file, result.stderr) }).toEqual(success);
    },
  );

  it.each(samples.filter(({ listens }) => listens))('$place serves requests and stops on SIGTERM', async (sample) => {
    expect(await runServerSample(sample, '/healthz')).toEqual({ ...success, status: 200 });
  });
});

function withoutRetries(file: string, stderr: string): string {
  return readFileSync(file, 'utf8').includes('retries: {') ? stderr.replaceAll(retried, '') : stderr;
}
