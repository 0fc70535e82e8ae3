import { randomInt } from 'node:crypto';
import { expect, it } from 'vitest';
import { simulateConversation } from './conversation/conversation-simulation.ts';
import { BulkSimulation } from './workflow/bulk-simulation.ts';
import { CodeSimulation } from './workflow/code-simulation.ts';
import { EndingSimulation } from './workflow/ending-simulation.ts';
import { EventSimulation } from './workflow/event-simulation.ts';
import { PrioritySimulation } from './workflow/priority-simulation.ts';
import { simulateSeed } from './workflow/simulate-seed.ts';
import { StartSimulation } from './workflow/start-simulation.ts';

/**
 * `HALYARD_SEED=7 CAMPAIGN_SEEDS=1` repeats one seed. A seed that finds something becomes a fixed
 * test.
 */
const count = Number(process.env['CAMPAIGN_SEEDS'] ?? 5_000);
const first = Number(process.env['HALYARD_SEED'] ?? randomInt(2 ** 31 - count));

const simulations: Readonly<Record<string, (seed: number) => Promise<unknown>>> = {
  executions: (seed) => simulateSeed(seed),
  'bulk operations': (seed) => new BulkSimulation({ seed }).run(),
  'code with waits': (seed) => new CodeSimulation({ seed }).run(),
  endings: (seed) => new EndingSimulation({ seed }).run(),
  events: (seed) => new EventSimulation({ seed }).run(),
  priorities: (seed) => new PrioritySimulation({ seed }).run(),
  'rules for starts': (seed) => new StartSimulation({ seed }).run(),
  conversations: (seed) => simulateConversation(seed),
  'conversations with summaries': (seed) => simulateConversation(seed, { compacts: true, turns: 30 }),
};

it.each(Object.entries(simulations))(`%s hold from seed ${first}`, { timeout: 6 * 3_600_000 }, async (_, simulate) => {
  for (let seed = first; seed < first + count; seed += 1)
    await expect(simulate(seed), `seed ${seed}`).resolves.not.toBeInstanceOf(Error);
});
