import type { ClaimedExecution, Commit, ExecutionStore, RewindRequest } from '@halyard/contracts';
import { InMemoryExecutionStore } from '@halyard/memory-in-memory';
import { expect, it } from 'vitest';
import { EndingSimulation } from './ending-simulation.ts';
import { type PlantedBug, SeedRuns } from './seed-runs.ts';
import { Violation } from './violation.ts';

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
    return claimed && reversed(claimed);
  }

  override async claimNext(...given: Parameters<ExecutionStore['claimNext']>): ReturnType<ExecutionStore['claimNext']> {
    const next = await super.claimNext(...given);
    return { ...next, claimed: next.claimed.map(reversed) };
  }
}

function reversed(claimed: ClaimedExecution): ClaimedExecution {
  return { ...claimed, journal: claimed.journal.toReversed() };
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

const plantedBugs: readonly PlantedBug[] = [
  ['the record of a compensation is lost', (clock) => new LosesCompensations(clock)],
  ['the oldest step is undone first', (clock) => new ReversesJournals(clock)],
  ['a retry keeps steps that were undone', (clock) => new KeepsUndoneSteps(clock)],
  ['an execution continues under another id', (clock) => new ContinuesUnderOtherIds(clock)],
];

const runs = new SeedRuns({
  variable: 'ENDING',
  count: 150,
  create: (options) => new EndingSimulation(options),
});

it(
  'undoes, retries and continues executions once when calls fail and processes crash',
  { timeout: 3_600_000 },
  async () => {
    expect(await runs.firstError()).toBeUndefined();
  },
);

it.each(plantedBugs)('the simulation finds that %s', { timeout: 60_000 }, async (_what, createStore) => {
  expect(await runs.firstError(createStore)).toBeInstanceOf(Violation);
});
