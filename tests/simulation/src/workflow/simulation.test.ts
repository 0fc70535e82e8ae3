import { expect, it } from 'vitest';
import { simulateSeed } from './simulate-seed.ts';
import { Simulation } from './simulation.ts';

/** `SIMULATION_SEED=7` runs one seed and prints its trace. `simulation.full.ts` runs more seeds. */
const only = process.env['SIMULATION_SEED'];
const count = 50;

it('ends every execution as expected when calls fail and processes crash', async () => {
  const timers = activeTimers();
  if (only !== undefined) await simulateSeed(Number(only), { isVerbose: true });
  else for (let seed = 0; seed < count; seed += 1) await simulateSeed(seed);
  expect(activeTimers()).toBeLessThanOrEqual(timers);
});

it('repeats the same trace for the same seed', async () => {
  for (let seed = 0; seed < 20; seed += 1) {
    const [one, again] = [new Simulation({ seed }), new Simulation({ seed })];
    await one.run();
    await again.run();
    expect(one.schedule.trace.length).toBeGreaterThan(3);
    expect(again.schedule.trace).toEqual(one.schedule.trace);
  }
});

function activeTimers(): number {
  return process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
}
