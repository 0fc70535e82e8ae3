import { expect, it } from 'vitest';
import { simulateConversation } from '../testing/conversation-simulation.ts';

/** `CONVERSATION_SEED=7` runs one seed; `CONVERSATION_SEEDS=10000` runs more seeds. */
const only = process.env['CONVERSATION_SEED'];
const count = Number(process.env['CONVERSATION_SEEDS'] ?? 100);

it(
  'stores the same messages as a plain list after random questions, answers, edits, aborts, deletions and failures',
  { timeout: 3_600_000 },
  async () => {
    const seeds = only === undefined ? Array.from({ length: count }, (_, seed) => seed) : [Number(only)];
    let turns = 0;
    for (const seed of seeds) turns += await simulateConversation(seed);
    expect(turns).toBeGreaterThan(0);
  },
);
