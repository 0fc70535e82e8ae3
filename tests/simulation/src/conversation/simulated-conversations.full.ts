import { expect, it } from 'vitest';
import { simulateConversation } from './conversation-simulation.ts';

/** `CONVERSATION_SEED=7` runs one seed; `CONVERSATION_SEEDS=10000` runs more seeds. */
const only = process.env['CONVERSATION_SEED'];
const count = Number(process.env['CONVERSATION_SEEDS'] ?? 100);

const seeds = only === undefined ? Array.from({ length: count }, (_, seed) => seed) : [Number(only)];

it(
  'stores the same messages as a plain list after random questions, answers, edits, branches, aborts, deletions and failures',
  { timeout: 3_600_000 },
  async () => {
    let turns = 0;
    for (const seed of seeds) turns += (await simulateConversation(seed)).turns;
    expect(turns).toBeGreaterThan(0);
  },
);

it('stores them beside summaries as well', { timeout: 3_600_000 }, async () => {
  let summaries = 0;
  for (const seed of seeds) summaries += (await simulateConversation(seed, { compacts: true, turns: 30 })).summaries;
  // One seed alone may need no summary.
  expect(summaries).toBeGreaterThanOrEqual(only === undefined ? count : 0);
});
