/**
 * Changes the code of each group with Stryker and prints the scores. Exits with 1 if a group is
 * below the target.
 */
import { globSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { copyWorkspace } from './copy-workspace.ts';
import { type Group, groups, type Part } from './groups.ts';
import { resultFile, scoreOf, scoreTable } from './scores.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    part: { type: 'string' },
    mutate: { type: 'string' },
    concurrency: { type: 'string', default: '2' },
  },
});
const chosen = groups
  .filter(({ name }) => values.only === undefined || values.only === name)
  .map((group) => ({
    ...group,
    parts: group.parts.filter(({ name }) => values.part === undefined || values.part === name),
  }))
  .filter(({ parts }) => parts.length > 0);
if (chosen.length === 0) throw new Error(`--only is one of ${groups.map(({ name }) => name).join(', ')}`);

const copy = copyWorkspace(fileURLToPath(new URL('../../..', import.meta.url)));
process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
process.chdir(copy);
// As Vitest sets it.
process.env['NODE_ENV'] = 'test';
for (const group of chosen) for (const part of group.parts) await mutate(group, part);

const scores = chosen.map(scoreOf);
console.log(scoreTable(chosen));
process.exitCode = scores.every(({ percent, targetPercent }) => percent >= targetPercent) ? 0 : 1;

async function mutate(group: Group, part: Part): Promise<void> {
  // Read by session-plugin.ts.
  process.env['MUTATION_TESTS'] = JSON.stringify([
    ...new Set(part.tests.flatMap((pattern) => globSync(pattern).toSorted())),
  ]);
  await new Stryker({
    // The copy is Stryker's sandbox: its own does not change what one package sees of another.
    inPlace: true,
    mutate: [
      ...(values.mutate === undefined ? part.mutate : [values.mutate]),
      '!**/*.{test,test-d,full,campaign}.ts',
      '!**/index.ts',
    ],
    plugins: [import.meta.resolve('./session-plugin.ts'), import.meta.resolve('./ignore-texts.ts')],
    ignorers: ['texts'],
    testRunner: 'session',
    coverageAnalysis: 'perTest',
    // Values outside of functions: the thread has them already.
    ignoreStatic: true,
    concurrency: Number(values.concurrency),
    timeoutMS: 10_000,
    // A machine that does other work needs more than the default of 5 minutes.
    dryRunTimeoutMinutes: 30,
    timeoutFactor: 2,
    // No reporter that uses the network.
    reporters: ['clear-text', 'progress-append-only'],
    clearTextReporter: { reportTests: false, allowColor: false, skipFull: true },
    allowConsoleColors: false,
    incremental: true,
    incrementalFile: resultFile(group, part),
  }).runMutationTest();
}
