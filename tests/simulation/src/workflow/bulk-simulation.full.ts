import type {
  CreateOptions,
  ExecutionStore,
  ExecutionFilter,
  NewExecution,
  Owner,
  ResumeRequest,
} from '@halyard/contracts';
import { InMemoryExecutionStore } from '@halyard/memory-in-memory';
import { expect, it } from 'vitest';
import { BulkSimulation } from './bulk-simulation.ts';
import { type PlantedBug, SeedRuns } from './seed-runs.ts';
import { Violation } from './violation.ts';

type List = ReturnType<InMemoryExecutionStore['list']>;

/** A page is shorter than what was asked for, as it is when the executions are large. */
class ShortPages extends InMemoryExecutionStore {
  override list(owner: Owner, filter: ExecutionFilter): List {
    const isBulkPage = filter.maxBytes !== undefined;
    return super.list(owner, isBulkPage ? { ...filter, limit: 3 } : filter);
  }
}

class IgnoresOwners extends ShortPages {
  override list(_owner: Owner, filter: ExecutionFilter): List {
    return super.list('anyone', filter);
  }
}

class IgnoresMetadata extends ShortPages {
  override list(owner: Owner, { metadata, ...filter }: ExecutionFilter): List {
    return super.list(
      owner,
      filter.maxBytes === undefined && metadata !== undefined ? { ...filter, metadata } : filter,
    );
  }
}

class SkipsOneBetweenPages extends ShortPages {
  override async list(owner: Owner, filter: ExecutionFilter): List {
    const page = await super.list(owner, filter);
    return filter.after === undefined ? page : { ...page, executions: page.executions.slice(1) };
  }
}

class RefusesRepeatedAnswers extends ShortPages {
  readonly #accepted = new Set<string>();

  override async resume(owner: Owner, resume: ResumeRequest): Promise<'resumed' | 'not-suspended'> {
    const request = `${resume.executionId} ${resume.requestId}`;
    if (this.#accepted.has(request)) return 'not-suspended';
    const outcome = await super.resume(owner, resume);
    if (outcome === 'resumed') this.#accepted.add(request);
    return outcome;
  }
}

/** A repeated replay creates another execution. */
class ReplaysUnderOtherIds extends ShortPages {
  #creates = 0;

  override create(execution: NewExecution, options: CreateOptions): ReturnType<ExecutionStore['create']> {
    this.#creates += 1;
    const isReplay = 'replayedFrom' in execution.metadata;
    return super.create(isReplay ? { ...execution, id: `${execution.id} ${this.#creates}` } : execution, options);
  }
}

const plantedBugs: readonly PlantedBug[] = [
  ['executions of other users are reached', (clock) => new IgnoresOwners(clock)],
  ['executions outside of the filter are reached', (clock) => new IgnoresMetadata(clock)],
  ['an execution between two pages is left out', (clock) => new SkipsOneBetweenPages(clock)],
  ['an accepted answer is reported as refused', (clock) => new RefusesRepeatedAnswers(clock)],
  ['an execution is replayed twice', (clock) => new ReplaysUnderOtherIds(clock)],
];

const runs = new SeedRuns({
  variable: 'BULK',
  count: 100,
  create: (options) => new BulkSimulation({ createStore: (clock) => new ShortPages(clock), ...options }),
});

it(
  'changes each execution that matches once, and no other, when calls fail and processes crash',
  { timeout: 3_600_000 },
  async () => {
    expect(await runs.firstError()).toBeUndefined();
  },
);

it.each(plantedBugs)('the simulation finds that %s', { timeout: 60_000 }, async (_what, createStore) => {
  expect(await runs.firstError(createStore)).toBeInstanceOf(Violation);
});
