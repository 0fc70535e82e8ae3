import type { Clock, CreateOptions, ExecutionStore, NewExecution } from '@halyard/contracts';
import { InMemoryExecutionStore } from '@halyard/memory-in-memory';
import { expect, it } from 'vitest';
import { PrioritySimulation } from './priority-simulation.ts';
import { type PlantedBug, SeedRuns } from './seed-runs.ts';
import { Violation } from './violation.ts';

/** Creates executions with another priority. */
class ChangesPriorities extends InMemoryExecutionStore {
  readonly #change: (priority: number, index: number) => number;
  #creates = 0;

  constructor(clock: Clock, change: (priority: number, index: number) => number) {
    super(clock);
    this.#change = change;
  }

  override create(
    execution: NewExecution,
    { priority = 0, ...options }: CreateOptions,
  ): ReturnType<ExecutionStore['create']> {
    this.#creates += 1;
    return super.create(execution, { ...options, priority: this.#change(priority, this.#creates) });
  }
}

const plantedBugs: readonly PlantedBug[] = [
  ['priorities are ignored', (clock) => new ChangesPriorities(clock, () => 0)],
  [
    'of the same priority, the newest execution starts first',
    (clock) => new ChangesPriorities(clock, (priority, index) => 100 * priority + index),
  ],
];

const runs = new SeedRuns({
  variable: 'PRIORITY',
  count: 150,
  create: (options) => new PrioritySimulation(options),
});

it(
  'gives free places to the highest priority when calls fail and processes crash',
  { timeout: 3_600_000 },
  async () => {
    expect(await runs.firstError()).toBeUndefined();
  },
);

it.each(plantedBugs)('the simulation finds that %s', { timeout: 60_000 }, async (_what, createStore) => {
  expect(await runs.firstError(createStore)).toBeInstanceOf(Violation);
});
