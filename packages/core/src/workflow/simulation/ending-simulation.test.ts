import type { Clock, Commit, ExecutionStore, RewindRequest } from '@halyard/contracts';
import { InMemoryExecutionStore } from '@halyard/memory-in-memory';
import { expect, it } from 'vitest';
import { EndingSimulation } from './ending-simulation.ts';
import { Violation } from './violation.ts';

/** `ENDING_SEED=7` runs one seed and prints its trace; `ENDING_SEEDS=100000` runs more seeds. */
const only = process.env['ENDING_SEED'];
const count = Number(process.env['ENDING_SEEDS'] ?? 150);

class LosesCompensations extends InMemoryExecutionStore {
  override commit(commit: Commit): ReturnType<ExecutionStore['commit']> {
    const entries = commit.entries.filter(({ path }) => path !== 'both/flight#compensate');
    return super.commit({ ...commit, entries });
  }
}

/** Another process undoes the oldest step first. */
class ReversesJournals extends InMemoryExecutionStore {
  override async claim(...given: Parameters<ExecutionStore['claim']>): ReturnType<ExecutionStore['claim']> {
    const claimed = await super.claim(...given);
    return claimed && { ...claimed, journal: claimed.journal.toReversed() };
  }
}

/** A retry of an execution that was undone does not run the undone steps again. */
class KeepsUndoneSteps extends InMemoryExecutionStore {
  override rewind(
    owner: Parameters<ExecutionStore['rewind']>[0],
    rewind: RewindRequest,
  ): ReturnType<ExecutionStore['rewind']> {
    return super.rewind(owner, { ...rewind, paths: rewind.paths.filter((path) => path !== 'both') });
  }
}

/** A repeated step continues the execution as another one. */
class ContinuesUnderOtherIds extends InMemoryExecutionStore {
  #creates = 0;

  override create(...[execution, options]: Parameters<ExecutionStore['create']>): ReturnType<ExecutionStore['create']> {
    this.#creates += 1;
    const isNext = 'continuedFrom' in execution.metadata;
    return super.create(isNext ? { ...execution, id: `${execution.id} ${this.#creates}` } : execution, options);
  }
}

const plantedBugs: readonly (readonly [what: string, createStore: (clock: Clock) => ExecutionStore])[] = [
  ['the record of a compensation is lost', (clock) => new LosesCompensations(clock)],
  ['the oldest step is undone first', (clock) => new ReversesJournals(clock)],
  ['a retry keeps steps that were undone', (clock) => new KeepsUndoneSteps(clock)],
  ['an execution continues under another id', (clock) => new ContinuesUnderOtherIds(clock)],
];

it(
  'undoes, retries and continues executions once when calls fail and processes crash',
  { timeout: 3_600_000 },
  async () => {
    const [first, last] = only === undefined ? [0, count] : [Number(only), Number(only) + 1];
    for (let seed = first; seed < last; seed += 1)
      expect(await violationOf(seed), `ENDING_SEED=${seed}`).toBeUndefined();
  },
);

it.each(plantedBugs)('the simulation finds that %s', { timeout: 60_000 }, async (_what, createStore) => {
  let found: unknown;
  for (let seed = 0; seed < count && found === undefined; seed += 1) found = await violationOf(seed, createStore);
  expect(found).toBeInstanceOf(Violation);
});

async function violationOf(seed: number, createStore?: (clock: Clock) => ExecutionStore): Promise<unknown> {
  const simulation = new EndingSimulation({ seed, ...(createStore && { createStore }) });
  try {
    await simulation.run();
    return undefined;
  } catch (error) {
    if (only !== undefined) process.stderr.write(`${simulation.schedule.trace.join('\n')}\n`);
    return error;
  }
}
