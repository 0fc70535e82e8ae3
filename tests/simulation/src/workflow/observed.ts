import type {
  ClaimedExecution,
  Commit,
  CommitOutcome,
  Execution,
  ExecutionStore,
  JournalEntry,
  JsonObject,
  JsonValue,
  RewindRequest,
  Suspension,
} from '@halyard/contracts';
import { isBelow, records } from '../../../../packages/core/src/workflow/definition/place.ts';
import { must } from './violation.ts';

interface Claim {
  readonly runner: string;
  readonly epoch: number;
  /** When the lease would run out that the claim asked for. */
  readonly firstUntil: number;
  leaseUntil: number;
}

/**
 * What one execution has written, according to the answers of the store. Checks its invariants
 * after each write.
 */
export class Observed {
  readonly recorded: Map<string, JournalEntry> = new Map();
  readonly states: Map<string, JsonObject> = new Map();
  /** Accepted answers by suspension id. */
  readonly answers: Map<string, JsonValue> = new Map();
  /** Of accepted answers, by suspension id. */
  readonly #requestIds = new Map<string, string>();
  /** By suspension id. */
  readonly #suspensions = new Map<string, Suspension>();
  readonly #commits = new Set<string>();
  /** Claims in a row without a commit. */
  claimsWithoutCommit = 0;
  claim: Claim | undefined;
  /** The store has accepted a request to cancel it. */
  isCancelling = false;

  claimed({ execution }: ClaimedExecution, runner: string, now: number, leaseMs: number): void {
    const { claim } = this;
    must(
      claim === undefined || claim.leaseUntil <= now,
      () => `${runner} claimed ${execution.id} while ${claim?.runner} had a lease on it`,
    );
    const leaseUntil = now + leaseMs;
    this.claim = { runner, epoch: execution.epoch, firstUntil: leaseUntil, leaseUntil };
    this.claimsWithoutCommit += 1;
  }

  renewed(epoch: number, leaseUntil: number): void {
    if (this.claim?.epoch === epoch) this.claim.leaseUntil = leaseUntil;
  }

  /** The store has taken it from a runner that did not name it. */
  taken(executionId: string, now: number): void {
    const { claim } = this;
    must(
      claim === undefined || claim.firstUntil <= now,
      () => `${executionId} was taken from ${claim?.runner}, which had just claimed it`,
    );
    this.claim = undefined;
  }

  /** A repeated request is the same answer. */
  answered(suspensionId: string, requestId: string, data: JsonValue): void {
    const first = this.#requestIds.get(suspensionId) ?? requestId;
    must(first === requestId, () => `two answers to suspension ${suspensionId} were accepted`);
    this.#requestIds.set(suspensionId, requestId);
    this.answers.set(suspensionId, data);
  }

  async committed(commit: Commit, outcome: CommitOutcome, store: ExecutionStore): Promise<void> {
    if (outcome.status !== 'committed' || this.#commits.has(commit.commitId)) return;
    this.#commits.add(commit.commitId);
    this.claimsWithoutCommit = 0;
    must(
      commit.release === undefined || !this.isCancelling,
      () => `${commit.executionId} was released instead of cancelled`,
    );
    for (const entry of commit.entries) this.#record(entry);
    for (const suspension of commit.suspensions) this.#suspend(suspension);
    for (const { created, id, statePatch } of commit.changes) {
      if (created !== undefined) this.states.set(id, created.workflowState);
      if (statePatch !== undefined) this.states.set(id, { ...this.states.get(id), ...statePatch });
    }
    const row = await store.find('anyone', commit.executionId);
    if (row === undefined) return;
    if (row.runner === null) this.claim = undefined;
    this.#checkPending(row);
    const filter = { parentExecutionId: row.id, limit: 100, offset: 0 };
    for (const child of (await store.list('anyone', filter)).executions) this.#checkChild(child);
  }

  /** The store has deleted records, so that their steps run again. */
  rewound({ entries, paths }: RewindRequest): void {
    for (const path of this.recorded.keys())
      if (entries.includes(path) || paths.some((top) => path === top || isBelow(path, top))) this.recorded.delete(path);
  }

  /**
   * The answers that a body may receive: those to its own step, else those to a suspension from
   * outside.
   */
  readonly answersFor = (path: string): readonly JsonValue[] => {
    const answered = [...this.answers].map(([id, data]) => ({ data, suspension: this.#suspensions.get(id) }));
    const own = answered.filter(({ suspension }) => suspension?.path === path);
    const usable = own.length > 0 ? own : answered.filter(({ suspension }) => suspension?.kind === 'request');
    return usable.map(({ data }) => data);
  };

  /** Bodies of the simulation suspend at most once. */
  #suspend(suspension: Suspension): void {
    const { kind, path } = suspension;
    const isAnswered = [...this.answers.keys()].some((id) => this.#suspensions.get(id)?.path === path);
    must(kind === 'request' || !isAnswered, () => `${path} suspends again, although it was answered`);
    this.#suspensions.set(suspension.id, suspension);
  }

  #record(entry: JournalEntry): void {
    const { path } = entry;
    must(!this.recorded.has(path), () => `${path} was recorded twice`);
    const around = records(entry, 'compensate') ? undefined : this.#recordedAround(path);
    must(around === undefined, () => `${path} was recorded after ${around}, which contains it`);
    this.recorded.set(path, entry);
  }

  /** A recorded step has no suspension, resumption or timer. */
  #checkPending({ resumptions, suspensions, timers }: Execution): void {
    // The answer to a suspension from outside goes to the step that runs next.
    const answers = resumptions.filter(({ path }) => !path.endsWith('#request'));
    for (const { path } of [...suspensions, ...timers, ...answers]) {
      const done = this.recorded.has(path) ? path : this.#recordedAround(path);
      must(done === undefined, () => `${path} still waits, although ${done} is recorded`);
    }
  }

  /** A recorded step has no unfinished sub-workflow. */
  #checkChild({ id, path, status }: Execution): void {
    const done = this.recorded.has(path) ? path : this.#recordedAround(path);
    const isOpen = status === 'running' || status === 'suspended';
    must(done === undefined || !isOpen, () => `${id} is ${status}, although ${done} is recorded`);
  }

  #recordedAround(path: string): string | undefined {
    for (const other of this.recorded.keys())
      if (other !== path && !other.includes('#') && isBelow(path, other) && !isDecision(path, other)) return other;
    return undefined;
  }
}

/** Decisions of a step may be recorded in the same commit as the step. */
function isDecision(path: string, step: string): boolean {
  return path.startsWith(`${step}#`);
}
