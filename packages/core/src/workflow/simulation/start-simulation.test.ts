import type { Clock, CreateOptions, CreateOutcome, ExecutionStore, Job, NewExecution } from '@halyard/contracts';
import { InMemoryExecutionStore } from '@halyard/memory-in-memory';
import { expect, it } from 'vitest';
import { StartSimulation } from './start-simulation.ts';
import { Violation } from './violation.ts';

/** `START_SEED=7` runs one seed and prints its trace; `START_SEEDS=100000` runs more seeds. */
const only = process.env['START_SEED'];
const count = Number(process.env['START_SEEDS'] ?? 500);

/** Creates executions as if another rule, or none, had been chosen. */
class ChangesRules extends InMemoryExecutionStore {
  readonly #change: (options: CreateOptions) => CreateOptions;

  constructor(clock: Clock, change: (options: CreateOptions) => CreateOptions) {
    super(clock);
    this.#change = change;
  }

  override create(execution: NewExecution, options: CreateOptions): Promise<CreateOutcome> {
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

const plantedBugs: readonly (readonly [what: string, createStore: (clock: Clock) => ExecutionStore])[] = [
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

it('applies the rules for starts when calls fail and processes crash', { timeout: 3_600_000 }, async () => {
  const [first, last] = only === undefined ? [0, count] : [Number(only), Number(only) + 1];
  for (let seed = first; seed < last; seed += 1) expect(await violationOf(seed), `START_SEED=${seed}`).toBeUndefined();
});

it.each(plantedBugs)('the simulation finds that %s', { timeout: 60_000 }, async (_what, createStore) => {
  let found: unknown;
  for (let seed = 0; seed < count && found === undefined; seed += 1) found = await violationOf(seed, createStore);
  expect(found).toBeInstanceOf(Violation);
});

async function violationOf(seed: number, createStore?: (clock: Clock) => ExecutionStore): Promise<unknown> {
  const simulation = new StartSimulation({ seed, ...(createStore && { createStore }) });
  try {
    await simulation.run();
    return undefined;
  } catch (error) {
    if (only !== undefined) process.stderr.write(`${simulation.schedule.trace.join('\n')}\n`);
    return error;
  }
}
