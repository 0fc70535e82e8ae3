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

/** Long enough that no case outlasts it, by a store whose clock also runs by itself. */
export const leaseMs = 600_000;

type CommitParts = Partial<Omit<Commit, 'changes'>> & { readonly changes?: readonly Partial<ExecutionChange>[] };

/** Runs one execution like a process would: it knows the epoch, the last event and the signals that it has seen. */
export class TestRunner {
  readonly store: ExecutionStore;
  readonly id: string;
  readonly epoch: number;
  seq: number;
  signals: number;
  #commits = 0;

  constructor(store: ExecutionStore, claimed: ClaimedExecution) {
    this.store = store;
    this.id = claimed.execution.id;
    this.epoch = claimed.execution.epoch;
    this.seq = claimed.execution.seq;
    this.signals = claimed.execution.signals;
  }

  /** A commit that this runner may write, with these parts. Changes are of the root, and without events, unless they say otherwise. */
  commitOf({ changes = [], ...parts }: CommitParts = {}): Commit {
    this.#commits += 1;
    return {
      executionId: this.id,
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

  /** Writes a commit, which must succeed. */
  async write(parts: CommitParts = {}): Promise<CommitOutcome & { readonly status: 'committed' }> {
    const outcome = await this.store.commit(this.commitOf(parts));
    check(outcome.status === 'committed', `A commit of the runner should be committed, but is ${outcome.status}`);
    this.seq = outcome.seq;
    this.signals = outcome.signals;
    return outcome;
  }

  /** Lets go of the execution. */
  async rest(dueAt: number | null, parts: CommitParts = {}): Promise<void> {
    await this.write({ ...parts, release: { dueAt, expectedSignals: this.signals } });
  }

  /** Suspends the execution at these paths, with a suspension named like its path, and lets go. */
  async suspend(...suspensions: Commit['suspensions']): Promise<void> {
    await this.rest(null, { changes: [{ status: 'suspended' }], suspensions });
  }

  async finish(): Promise<void> {
    await this.write({ changes: [{ status: 'completed', output: { ok: true } }] });
  }
}

/** Creates an execution, `run` unless it says otherwise, and claims it. */
export async function begin(store: ExecutionStore, values: Partial<NewExecution> = {}): Promise<TestRunner> {
  const execution = sampleExecution(values.id ?? 'run', values);
  await store.create(execution, { requestId: `create ${execution.id}` });
  return takeOver(store, execution.id);
}

/** Claims an execution, which must want a runner. */
export async function takeOver(store: ExecutionStore, id: string): Promise<TestRunner> {
  const claimed = await store.claim(id, { runner: 'a runner', leaseMs });
  return new TestRunner(store, checkFound(claimed, `A claim of ${id}`));
}
