import { expect, it } from 'vitest';
import { simulateSeed } from './simulate-seed.ts';

/** `SIMULATION_SEED=7` runs that one, and tells what happened; `SIMULATION_SEEDS=100000` runs more of them. */
const only = process.env['SIMULATION_SEED'];
const count = Number(process.env['SIMULATION_SEEDS'] ?? 2_000);

it('ends every execution as it should, whatever fails and whoever dies', { timeout: 3_600_000 }, async () => {
  const timers = activeTimers();
  if (only !== undefined) await simulateSeed(Number(only), { tells: true });
  else for (let seed = 0; seed < count; seed += 1) await simulateSeed(seed);
  expect(activeTimers()).toBeLessThanOrEqual(timers);
});

function activeTimers(): number {
  return process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
}
