import type { Clock, ExecutionStore } from '@halyard/contracts';
import { checkSameEnd } from './check-ends.ts';
import { Simulation, type SimulationResult } from './simulation.ts';
import { must, Violation } from './violation.ts';

export interface SeedOptions {
  readonly createStore?: (clock: Clock) => ExecutionStore;
  /** Adds the workflows and a trace of all events to the message of a violation. */
  readonly isVerbose?: boolean;
}

/**
 * Runs the random workflows of a seed, once without faults and once with them. @throws Violation
 * that names the seed.
 */
export async function simulateSeed(seed: number, { createStore, isVerbose = false }: SeedOptions = {}): Promise<void> {
  const faultless = await runWithSeedInError(seed, isVerbose, new Simulation({ seed, faults: 'none' }));
  const simulation = new Simulation({ seed, ...(createStore && { createStore }) });
  await runWithSeedInError(seed, isVerbose, simulation, ({ ended }) => {
    for (const [index, one] of ended.entries()) {
      const other = faultless.ended[index];
      must(other !== undefined, () => 'a run without faults is missing');
      checkSameEnd(one, other);
    }
  });
}

async function runWithSeedInError(
  seed: number,
  isVerbose: boolean,
  simulation: Simulation,
  check: (result: SimulationResult) => void = () => {},
): Promise<SimulationResult> {
  try {
    const result = await simulation.run();
    check(result);
    return result;
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error);
    const trees = isVerbose ? `\n${JSON.stringify([...simulation.trees.values()])}` : '';
    const trace = isVerbose ? `\n${simulation.schedule.trace.join('\n')}` : '';
    throw new Violation(`SIMULATION_SEED=${seed}: ${what}${trees}${trace}`, { cause: error });
  }
}
