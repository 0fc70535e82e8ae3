import {
  type Backlog,
  type Clock,
  type CreateOptions,
  type Execution,
  type Job,
  type NewExecution,
  subjectForUser,
} from '@halyard/contracts';
import { SortedArray } from '../sorted-array.ts';
import { ConcurrencyKeys } from './concurrency-keys.ts';
import { RunnerLeases } from './runner-leases.ts';
import { mayBeClaimedAt, type StoredRoot } from './stored-execution.ts';

/**
 * The executions that may be claimed now or later, the earliest first: those that wait for a
 * runner, and those whose runner may lose its lease.
 */
export class DueExecutions {
  readonly #clock: Clock;
  readonly concurrencyKeys: ConcurrencyKeys = new ConcurrencyKeys();
  readonly leases: RunnerLeases;
  readonly #waiting = new SortedArray(compareDue);
  /** The same, of each subject and priority. */
  readonly #lanes = new Map<string, SortedArray<StoredRoot>>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.leases = new RunnerLeases(clock);
  }

  /**
   * To be called for every change of `claimableAt`, `waitingSince`, the definition or the lease;
   * `change` makes it. Makes those due that wait for a place that is free then.
   */
  move(root: StoredRoot, change: () => void): void {
    if (root.lease === undefined) this.#removeWaiting(root);
    else root.lease.roots.delete(root);
    this.concurrencyKeys.remove(root);
    change();
    this.concurrencyKeys.add(root);
    if (root.lease !== undefined) root.lease.roots.add(root);
    else if (root.claimableAt !== Infinity) this.#addWaiting(root);
    const { concurrency } = root.record;
    const woken = concurrency === null ? undefined : this.concurrencyKeys.nextToWake(concurrency.key);
    // It wakes others.
    if (woken !== undefined)
      this.move(woken, () => {
        woken.claimableAt = this.#clock.now();
      });
  }

  /** @param dueAt Infinity: not before a signal, or until it has a place. */
  release(root: StoredRoot, dueAt: number, waitingSince: number | null = null): void {
    this.move(root, () => {
      root.record.runner = null;
      root.lease = undefined;
      root.record.waitingSince = waitingSince;
      root.claimableAt = dueAt;
    });
  }

  #addWaiting(root: StoredRoot): void {
    this.#waiting.add(root);
    const name = toLane(root.record.priority, root.subject);
    const lane = this.#lanes.get(name) ?? new SortedArray(compareDue);
    lane.add(root);
    this.#lanes.set(name, lane);
  }

  #removeWaiting(root: StoredRoot): void {
    this.#waiting.remove(root);
    const name = toLane(root.record.priority, root.subject);
    const lane = this.#lanes.get(name);
    lane?.remove(root);
    if (lane?.size === 0) this.#lanes.delete(name);
  }

  /** Whether a root may be claimed now. */
  isClaimable({ claimableAt, lease }: StoredRoot, now: number): boolean {
    return lease === undefined ? claimableAt <= now : this.leases.hasEnded(lease);
  }

  /**
   * Whether so many executions of the same subject, definition and priority are due as may wait.
   */
  isFull(
    { userId, workflowId }: Pick<NewExecution, 'userId' | 'workflowId'>,
    { definition = workflowId, maxWaiting = Infinity, priority = 0, subject = subjectForUser(userId) }: CreateOptions,
    now: number,
  ): boolean {
    if (subject === undefined || maxWaiting === Infinity) return false;
    let waiting = 0;
    for (const { claimableAt, record } of this.#lanes.get(toLane(priority, subject))?.ascending() ?? []) {
      if (claimableAt > now || waiting >= maxWaiting) break;
      if (record.definition === definition) waiting += 1;
    }
    return waiting >= maxWaiting;
  }

  /** Takes the roots of runners that have lost their lease: they are due again. */
  recover(now: number, leaseMs: number, maxClaims: number): void {
    for (const root of this.leases.expired()) {
      const lostAt = Math.min(now, mayBeClaimedAt(root));
      this.release(root, lostAt + backOffMs(root, leaseMs, maxClaims));
    }
  }

  /**
   * The executions with these definitions that a runner claims next, in their order. Reads no more
   * of each subject and priority than the limit.
   *
   * @param running how many executions of each subject the runner runs.
   */
  next(
    now: number,
    definitions: Readonly<Record<string, string>>,
    limit: number,
    running: ReadonlyMap<string | undefined, number>,
  ): readonly StoredRoot[] {
    const due: StoredRoot[] = [];
    for (const lane of this.#lanes.values()) {
      let count = 0;
      for (const root of lane.ascending()) {
        if (root.claimableAt > now || count >= limit) break;
        if (!Object.hasOwn(definitions, root.record.definition)) continue;
        due.push(root);
        count += 1;
      }
    }
    const sorted = due.toSorted(byPriority);
    if (sorted.length <= limit) return sorted;
    const turns = new Map(running);
    const ranked = sorted.map((root) => {
      const turn = turns.get(root.subject) ?? 0;
      turns.set(root.subject, turn + 1);
      return { root, turn };
    });
    return ranked
      .toSorted(
        (one, other) =>
          other.root.record.priority - one.root.record.priority ||
          one.turn - other.turn ||
          compareDue(one.root, other.root),
      )
      .map(({ root }) => root);
  }

  /** When the next execution that matches and has no runner is due. */
  nextDueAt(matches: (root: StoredRoot) => boolean): number | undefined {
    for (const root of this.#waiting.ascending()) if (matches(root)) return root.claimableAt;
    return undefined;
  }

  /** The executions that may be claimed now and match, the longest due first. */
  due(now: number, matches: (execution: Execution) => boolean, limit: number): readonly StoredRoot[] {
    const due = this.leases.expired().filter(({ record }) => matches(record));
    for (const root of this.#waiting.ascending()) {
      if (root.claimableAt > now) break;
      if (matches(root.record)) due.push(root);
    }
    return due.toSorted(compareDue).slice(0, limit);
  }

  /** How many of these definitions are due, and for how long. */
  backlog(now: number, definitions: readonly string[], limit: number): Backlog {
    const wanted = new Set(definitions);
    const due = this.due(now, ({ definition }) => wanted.has(definition), limit);
    const since = due.map(mayBeClaimedAt);
    return { count: due.length, oldestDueMs: since.length === 0 ? 0 : Math.max(0, now - Math.min(...since)) };
  }

  /** Those of these workflows that are due and have other definitions. */
  elsewhere(
    now: number,
    workflowIds: readonly string[],
    definitions: readonly string[],
    limit: number,
  ): readonly Job[] {
    const [workflows, known] = [new Set(workflowIds), new Set(definitions)];
    const matches = ({ definition, workflowId }: Execution): boolean =>
      workflows.has(workflowId) && !known.has(definition);
    return this.due(now, matches, limit).map(({ record }) => ({
      executionId: record.id,
      workflowId: record.workflowId,
    }));
  }
}

/** Multiples of it are spread evenly between whole numbers. */
const goldenRatio = 0.618_034;

/**
 * How long an execution is left alone whose runner may have died of it. Those of one runner return
 * at different times, so that the one at fault kills few others.
 */
function backOffMs({ claimsWithoutCommit, order, record }: StoredRoot, leaseMs: number, maxClaims: number): number {
  if (claimsWithoutCommit < 2 || claimsWithoutCommit >= maxClaims || record.request !== null) return 0;
  const spread = 1 + ((order * goldenRatio) % 1) / 2;
  return Math.floor(leaseMs * 2 ** Math.min(claimsWithoutCommit - 1, 4) * spread);
}

/** Names the subject and the priority. */
function toLane(priority: number, subject: string | undefined): string {
  return JSON.stringify([priority, subject ?? null]);
}

/** The highest priority first, then those due longest. */
function byPriority(one: StoredRoot, other: StoredRoot): number {
  return other.record.priority - one.record.priority || compareDue(one, other);
}

function compareDue(one: StoredRoot, other: StoredRoot): number {
  return mayBeClaimedAt(one) - mayBeClaimedAt(other) || one.order - other.order;
}
