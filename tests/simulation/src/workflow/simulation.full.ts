import { expect, it } from 'vitest';
import { simulateSeed } from './simulate-seed.ts';

/** `SIMULATION_SEEDS=100000` runs more seeds. `simulation.test.ts` runs the first ones. */
const count = Number(process.env['SIMULATION_SEEDS'] ?? 500);

it('ends every execution as expected when calls fail and processes crash', { timeout: 3_600_000 }, async () => {
  for (let seed = 0; seed < count; seed += 1) await expect(simulateSeed(seed)).resolves.toBeUndefined();
});
