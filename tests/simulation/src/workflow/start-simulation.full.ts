import type { Clock, CreateOptions, ExecutionStore, Job, NewExecution } from '@halyard/contracts';
import { InMemoryExecutionStore } from '@halyard/memory-in-memory';
import { expect, it } from 'vitest';
import { type PlantedBug, SeedRuns } from './seed-runs.ts';
import { StartSimulation } from './start-simulation.ts';
import { Violation } from './violation.ts';

/** Creates executions as if another rule, or none, had been chosen. */
class ChangesRules extends InMemoryExecutionStore {
  readonly #change: (options: CreateOptions) => CreateOptions;

  constructor(clock: Clock, change: (options: CreateOptions) => CreateOptions) {
    super(clock);
    this.#change = change;
  }

  override create(execution: NewExecution, options: CreateOptions): ReturnType<ExecutionStore['create']> {
    return super.create(execution, this.#change(options));
  }
}

class SupersedesNothing extends InMemoryExecutionStore {
  override async supersede(): Promise<readonly Job[]> {
    return [];
  }
}

/** A start also cancels itself. */
class SupersedesTheNewest extends InMemoryExecutionStore {
  override async supersede(id: string, reason: string): Promise<readonly Job[]> {
    await this.request('anyone', id, { kind: 'cancel', reason });
    return super.supersede(id, reason);
  }
}

const plantedBugs: readonly PlantedBug[] = [
  ['two executions of a singleton run', (clock) => new ChangesRules(clock, ({ singleton: _, ...options }) => options)],
  [
    'debounced executions do not replace each other',
    (clock) => new ChangesRules(clock, ({ debounce: _, ...options }) => options),
  ],
  ['throttled executions start at once', (clock) => new ChangesRules(clock, ({ throttle: _, ...options }) => options)],
  [
    'one throttled execution too many starts in a period',
    (clock) =>
      new ChangesRules(clock, ({ throttle, ...options }) => ({
        ...options,
        ...(throttle && { throttle: { ...throttle, limit: throttle.limit + 1 } }),
      })),
  ],
  ['older executions are not replaced', (clock) => new SupersedesNothing(clock)],
  ['the newest execution is replaced', (clock) => new SupersedesTheNewest(clock)],
];

const runs = new SeedRuns({
  variable: 'START',
  count: 500,
  create: (options) => new StartSimulation(options),
});

it('applies the rules for starts when calls fail and processes crash', { timeout: 3_600_000 }, async () => {
  expect(await runs.firstError()).toBeUndefined();
});

it.each(plantedBugs)('the simulation finds that %s', { timeout: 60_000 }, async (_what, createStore) => {
  expect(await runs.firstError(createStore)).toBeInstanceOf(Violation);
});
