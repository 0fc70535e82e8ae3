import type {
  ClaimedExecution,
  Clock,
  Commit,
  CommitOutcome,
  CreateOptions,
  CreateOutcome,
  ExecutionEvent,
  ExecutionStore,
  ClaimNextOptions,
  ClaimOptions,
  Lease,
  NewExecution,
  NextExecutions,
  Owner,
  ResumeRequest,
} from '@halyard/contracts';
import { InMemoryExecutionStore } from '@halyard/memory-in-memory';
import type { Scope } from '../../../../packages/core/src/workflow/interpreter/branches/scope.ts';
import { CommitWriter } from '../../../../packages/core/src/workflow/interpreter/commits/commit-writer.ts';
import { Children } from '../../../../packages/core/src/workflow/interpreter/run/children.ts';
import { ExecutionRun } from '../../../../packages/core/src/workflow/interpreter/run/execution-run.ts';
import { LoopRounds } from '../../../../packages/core/src/workflow/interpreter/run/loop-rounds.ts';
import { ConcurrencyKeys } from '../../../../packages/memory-in-memory/src/executions/concurrency-keys.ts';

/** A bug that the simulation must find. */
export interface PlantedBug {
  /** Completes the sentence "the simulation finds that …". */
  readonly what: string;
  readonly createStore?: (clock: Clock) => ExecutionStore;
  /** Plants the bug in the interpreter. @returns a function that removes it. */
  readonly plant?: () => () => void;
}

class WithoutFencing extends InMemoryExecutionStore {
  override async commit(commit: Commit): Promise<CommitOutcome> {
    const row = await super.find('anyone', commit.executionId);
    return super.commit({ ...commit, epoch: row?.epoch ?? 0, expectedSeq: row?.seq ?? 0 });
  }
}

class DropsCommits extends InMemoryExecutionStore {
  #commits = 0;

  override async commit(commit: Commit): Promise<CommitOutcome> {
    this.#commits += 1;
    const row = await super.find('anyone', commit.executionId);
    if (this.#commits % 5 !== 0 || row?.epoch !== commit.epoch) return super.commit(commit);
    const own = commit.changes.find(({ id }) => id === row.id)?.events.length ?? 0;
    return { status: 'committed', signals: row.signals, seq: row.seq + own };
  }
}

class DoublesCommits extends InMemoryExecutionStore {
  #commits = 0;

  override async commit(commit: Commit): Promise<CommitOutcome> {
    this.#commits += 1;
    const row = await super.find('anyone', commit.executionId);
    const isAgain = row !== undefined && row.seq > commit.expectedSeq && row.epoch === commit.epoch;
    if (!isAgain) return super.commit(commit);
    return super.commit({ ...commit, commitId: `again ${this.#commits}`, expectedSeq: row.seq });
  }
}

/** Refused commits use up event numbers. */
class NumbersEventsOutsideOfCommits extends InMemoryExecutionStore {
  readonly #gaps: { readonly id: string; readonly after: number; readonly size: number }[] = [];

  override async commit(commit: Commit): Promise<CommitOutcome> {
    const outcome = await super.commit(commit);
    if (outcome.status === 'committed') return outcome;
    for (const { events, id } of commit.changes)
      this.#gaps.push({ id, after: (await super.find('anyone', id))?.seq ?? 0, size: events.length });
    return outcome;
  }

  override async events(
    owner: Owner,
    id: string,
    range: Parameters<ExecutionStore['events']>[2],
  ): Promise<readonly ExecutionEvent[]> {
    const before = (seq: number): number =>
      this.#gaps.reduce((sum, gap) => sum + (gap.id === id && gap.after < seq ? gap.size : 0), 0);
    const events = await super.events(owner, id, range);
    return events.map(({ event, seq }) => ({ seq: seq + before(seq), event }));
  }
}

class EndsLeases extends InMemoryExecutionStore {
  override async create(
    execution: NewExecution,
    { claim, ...options }: CreateOptions,
  ): Promise<CreateOutcome | ClaimedExecution> {
    return super.create(execution, { ...options, ...(claim !== undefined && { claim: { ...claim, leaseMs: 1 } }) });
  }

  override async claim(id: string, lease: Lease, options?: ClaimOptions): Promise<ClaimedExecution | undefined> {
    return super.claim(id, { ...lease, leaseMs: 1 }, options);
  }

  override async claimNext(lease: Lease, options: ClaimNextOptions): Promise<NextExecutions> {
    return super.claimNext({ ...lease, leaseMs: 1 }, options);
  }
}

class AcceptsEveryAnswer extends InMemoryExecutionStore {
  override async resume(owner: Owner, resume: ResumeRequest): Promise<'resumed' | 'not-suspended'> {
    await super.resume(owner, resume);
    return 'resumed';
  }
}

class IgnoresConcurrency extends InMemoryExecutionStore {
  override create(
    execution: NewExecution,
    { concurrency: _, ...options }: CreateOptions,
  ): Promise<CreateOutcome | ClaimedExecution> {
    return super.create(execution, options);
  }
}

class ForgetsStartedSteps extends InMemoryExecutionStore {
  override async claim(id: string, lease: Lease, options?: ClaimOptions): Promise<ClaimedExecution | undefined> {
    const claimed = await super.claim(id, lease, options);
    return claimed && withoutStartedSteps(claimed);
  }

  override async claimNext(lease: Lease, options: ClaimNextOptions): Promise<NextExecutions> {
    const next = await super.claimNext(lease, options);
    return { ...next, claimed: next.claimed.map(withoutStartedSteps) };
  }
}

function withoutStartedSteps(claimed: ClaimedExecution): ClaimedExecution {
  if (claimed.checkpoint === undefined) return claimed;
  const { id, seq } = claimed.execution;
  return { ...claimed, checkpoint: { [id]: { seq, steps: [] } } };
}

export const plantedBugs: readonly PlantedBug[] = [
  { what: 'a process that lost its lease still writes', createStore: (clock) => new WithoutFencing(clock) },
  { what: 'a commit is acknowledged and not written', createStore: (clock) => new DropsCommits(clock) },
  { what: 'a retried commit is written twice', createStore: (clock) => new DoublesCommits(clock) },
  {
    what: 'event numbers are assigned outside the commit',
    createStore: (clock) => new NumbersEventsOutsideOfCommits(clock),
  },
  { what: 'a lease is ended before it has expired', createStore: (clock) => new EndsLeases(clock) },
  { what: 'every answer to a suspension is accepted', createStore: (clock) => new AcceptsEveryAnswer(clock) },
  {
    what: 'a checkpoint forgets which steps have started',
    createStore: (clock) => new ForgetsStartedSteps(clock),
  },
  { what: 'limits of concurrency are ignored', createStore: (clock) => new IgnoresConcurrency(clock) },
  {
    what: 'a waiting execution never gets a place',
    plant: () => replaced(ConcurrencyKeys.prototype, 'nextToWake', () => undefined),
  },
  {
    what: 'suspensions and timers of branches that lost a race are not deleted',
    plant: () =>
      replaced(ExecutionRun.prototype, 'closeBelow', (_path: string, scope: Scope) => {
        scope.close();
      }),
  },
  {
    what: 'sub-workflows of branches that lost a race are not cancelled',
    plant: () => replaced(Children.prototype, 'cancelBelow', () => []),
  },
  {
    what: 'a checkpoint leaves out the round from which a loop continues',
    plant: () => replaced(LoopRounds.prototype, 'previous', () => Number.MAX_SAFE_INTEGER),
  },
  {
    what: 'a body starts before earlier entries are stored',
    plant: () => replaced(CommitWriter.prototype, 'hasUnsavedEntries', () => false),
  },
];

function replaced<Target extends object, Name extends keyof Target>(
  target: Target,
  name: Name,
  method: Target[Name],
): () => void {
  const original = Object.getOwnPropertyDescriptor(target, name);
  Object.defineProperty(target, name, { ...original, value: method });
  return () => {
    if (original !== undefined) Object.defineProperty(target, name, original);
  };
}
