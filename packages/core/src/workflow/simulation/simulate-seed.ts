import type { Clock, ExecutionStore } from '@halyard/contracts';
import { checkAlike } from './check-ends.ts';
import { Simulation, type SimulationResult } from './simulation.ts';
import { must, Violation } from './violation.ts';

export interface SeedOptions {
  readonly createStore?: (clock: Clock) => ExecutionStore;
  /** Adds the trees and the trace to the error. */
  readonly isVerbose?: boolean;
}

/** Runs the workflows of a seed twice, without and with faults. @throws Violation naming the seed. */
export async function simulateSeed(seed: number, { createStore, isVerbose = false }: SeedOptions = {}): Promise<void> {
  const faultless = await runSimulation(seed, isVerbose, new Simulation({ seed, faults: 'none' }));
  const simulation = new Simulation({ seed, ...(createStore && { createStore }) });
  await runSimulation(seed, isVerbose, simulation, ({ ended }) => {
    for (const [index, one] of ended.entries()) {
      const other = faultless.ended[index];
      must(other !== undefined, () => 'a run without faults is missing');
      checkAlike(one, other);
    }
  });
}

async function runSimulation(
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
