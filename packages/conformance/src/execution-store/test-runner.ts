import type {
  ClaimedExecution,
  Commit,
  CommitOutcome,
  ExecutionChange,
  ExecutionStore,
  NewExecution,
} from '@halyard/contracts';
import { check, checkFound } from '../check.ts';
import { sampleExecution } from './sample-records.ts';

/** Longer than any case takes, for stores whose clock also advances by itself. */
export const leaseMs = 600_000;

type CommitParts = Partial<Omit<Commit, 'changes'>> & { readonly changes?: readonly Partial<ExecutionChange>[] };

/**
 * Runs one execution like a process: it stores the epoch, the last event and the signals it has
 * read.
 */
export class TestRunner {
  readonly store: ExecutionStore;
  readonly id: string;
  readonly creationId: string;
  readonly epoch: number;
  seq: number;
  signals: number;
  #commits = 0;

  constructor(store: ExecutionStore, claimed: ClaimedExecution) {
    this.store = store;
    this.id = claimed.execution.id;
    this.creationId = claimed.execution.creationId;
    this.epoch = claimed.execution.epoch;
    this.seq = claimed.execution.seq;
    this.signals = claimed.execution.signals;
  }

  /**
   * A commit of this runner with these parts. Changes apply to the root and have no events by
   * default.
   */
  commitOf({ changes = [], ...parts }: CommitParts = {}): Commit {
    this.#commits += 1;
    return {
      executionId: this.id,
      creationId: this.creationId,
      epoch: this.epoch,
      commitId: `${this.epoch}-${this.#commits}`,
      expectedSeq: this.seq,
      entries: [],
      changes: changes.map((change) => ({ id: this.id, events: [], ...change })),
      settled: [],
      suspensions: [],
      timers: [],
      ...parts,
    };
  }

  /** Writes a commit; the write must succeed. */
  async write(parts: CommitParts = {}): Promise<CommitOutcome & { readonly status: 'committed' }> {
    const outcome = await this.store.commit(this.commitOf(parts));
    check(outcome.status === 'committed', `A commit of the runner should be committed, but is ${outcome.status}`);
    this.seq = outcome.seq;
    this.signals = outcome.signals;
    return outcome;
  }

  /** Releases the execution. */
  async rest(dueAt: number | null, parts: CommitParts = {}): Promise<void> {
    await this.write({ ...parts, release: { dueAt, expectedSignals: this.signals } });
  }

  /** Suspends the execution at these paths, each suspension named by its path, and releases it. */
  async suspend(...suspensions: Commit['suspensions']): Promise<void> {
    await this.rest(null, { changes: [{ status: 'suspended' }], suspensions });
  }

  async finish(): Promise<void> {
    await this.write({ changes: [{ status: 'completed', output: { ok: true } }] });
  }
}

/** Creates and claims an execution, with the id `run` by default. */
export async function begin(store: ExecutionStore, values: Partial<NewExecution> = {}): Promise<TestRunner> {
  const execution = sampleExecution(values.id ?? 'run', values);
  await store.create(execution, { requestId: `create ${execution.id}` });
  return takeOver(store, execution.id);
}

/** Claims an execution, which must be due. */
export async function takeOver(store: ExecutionStore, id: string): Promise<TestRunner> {
  const claimed = await store.claim(id, { runner: 'a runner', leaseMs });
  return new TestRunner(store, checkFound(claimed, `A claim of ${id}`));
}
