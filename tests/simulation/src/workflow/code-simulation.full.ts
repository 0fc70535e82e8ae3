import type { ClaimedExecution, Commit, CommitOutcome, ExecutionStore, NextExecutions } from '@halyard/contracts';
import { InMemoryExecutionStore } from '@halyard/memory-in-memory';
import { expect, it } from 'vitest';
import { CodeSimulation } from './code-simulation.ts';
import { type PlantedBug, SeedRuns } from './seed-runs.ts';
import { Violation } from './violation.ts';

/** Timers of the execution end a second too early. */
class WakesEarly extends InMemoryExecutionStore {
  override commit(commit: Commit): Promise<CommitOutcome> {
    const timers = commit.timers.map((timer) => ({ ...timer, wakeAt: timer.wakeAt - 1_000 }));
    return super.commit({ ...commit, timers });
  }
}

/** Changes what the next process gets, however it claims the execution. */
abstract class ChangesClaims extends InMemoryExecutionStore {
  abstract change(claimed: ClaimedExecution): ClaimedExecution;

  override async claim(...given: Parameters<ExecutionStore['claim']>): Promise<ClaimedExecution | undefined> {
    const claimed = await super.claim(...given);
    return claimed && this.change(claimed);
  }

  override async claimNext(...given: Parameters<ExecutionStore['claimNext']>): Promise<NextExecutions> {
    const next = await super.claimNext(...given);
    return { ...next, claimed: next.claimed.map((claimed) => this.change(claimed)) };
  }
}

/** The next process runs a step of code again. */
class ForgetsCalledSteps extends ChangesClaims {
  override change(claimed: ClaimedExecution): ClaimedExecution {
    return { ...claimed, journal: claimed.journal.filter(({ path }) => !path.endsWith('code/slept-1')) };
  }
}

/** The next process gets other outputs for the waits of code. */
class ForgetsPayloads extends ChangesClaims {
  override change(claimed: ClaimedExecution): ClaimedExecution {
    const journal = claimed.journal.map((entry) =>
      entry.path.endsWith('code/event-0') ? { ...entry, output: null } : entry,
    );
    return { ...claimed, journal };
  }
}

const plantedBugs: readonly PlantedBug[] = [
  ['a sleep in code is too short', (clock) => new WakesEarly(clock)],
  ['a step that code has called runs twice', (clock) => new ForgetsCalledSteps(clock)],
  ['code that runs again gets another payload', (clock) => new ForgetsPayloads(clock)],
];

const runs = new SeedRuns({
  variable: 'CODE',
  count: 100,
  create: (options) => new CodeSimulation(options),
});

it('runs code with sleeps and events once when calls fail and processes crash', { timeout: 3_600_000 }, async () => {
  expect(await runs.firstError()).toBeUndefined();
});

it.each(plantedBugs)('the simulation finds that %s', { timeout: 60_000 }, async (_what, createStore) => {
  expect(await runs.firstError(createStore)).toBeInstanceOf(Violation);
});
