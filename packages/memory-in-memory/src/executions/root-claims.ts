import {
  type ClaimedExecution,
  type ClaimNextOptions,
  type Clock,
  type ExhaustedExecution,
  type Lease,
  monotonicTime,
  type NextExecutions,
} from '@halyard/contracts';
import type { Watchers } from '../watchers.ts';
import { neededChildren, neededEntries } from './checkpoints.ts';
import type { DueExecutions } from './due-executions.ts';
import { claimRoot } from './root-changes.ts';
import type { RunnerLease } from './runner-leases.ts';
import { isExhausted, type StoredRoot, toExecution } from './stored-execution.ts';

/** Gives executions to runners. */
export class RootClaims {
  readonly #clock: Clock;
  readonly #due: DueExecutions;
  readonly #watchers: Watchers;

  constructor(clock: Clock, due: DueExecutions, watchers: Watchers) {
    this.#clock = clock;
    this.#due = due;
    this.#watchers = watchers;
  }

  /** @returns undefined when it has no place: then it waits. */
  claim(root: StoredRoot, lease: RunnerLease, leaseMs: number, definition: string): ClaimedExecution | undefined {
    const now = this.#clock.now();
    const { id, request, waitingSince } = root.record;
    if (request === null && !this.#due.concurrencyKeys.hasPlace(root, now)) {
      this.#due.release(root, Infinity, waitingSince ?? now);
      return undefined;
    }
    const claimEndsAt = monotonicTime(this.#clock) + leaseMs;
    this.#due.move(root, () => {
      claimRoot(root, { runner: lease.runner, definition });
      Object.assign(root, { lease, claimEndsAt });
    });
    this.#watchers.notify(id, 'commit');
    return {
      execution: toExecution(root),
      subject: root.subject,
      journal: neededEntries(root),
      children: neededChildren(root).map(toExecution),
      ...(root.checkpoint !== undefined && { checkpoint: root.checkpoint.data }),
      claimsWithoutCommit: root.claimsWithoutCommit,
      now,
    };
  }

  claimNext(
    { leaseMs, runner }: Lease,
    { definitions, freeSlots = Infinity, limit, maxClaims = Infinity }: ClaimNextOptions,
  ): NextExecutions {
    const now = this.#clock.now();
    this.#due.recover(now, leaseMs, maxClaims);
    const claimed: ClaimedExecution[] = [];
    const exhausted: ExhaustedExecution[] = [];
    /** Subjects whose share of the slots is used up. */
    const leftOut = new Set<string>();
    const isLeftOut = ({ subject }: StoredRoot): boolean => subject !== undefined && leftOut.has(subject);
    const running = this.#due.leases.runningOf(runner);
    while (claimed.length < limit) {
      const missing = limit - claimed.length;
      const roots = this.#due.next(now, definitions, missing, running).filter((root) => !isLeftOut(root));
      if (roots.length === 0) break;
      for (const root of roots) {
        if (claimed.length >= limit) break;
        const { claimsWithoutCommit, record, subject } = root;
        const runningOfSubject = running.get(subject) ?? 0;
        if (subject !== undefined && runningOfSubject > freeSlots - claimed.length) {
          leftOut.add(subject);
          continue;
        }
        if (isExhausted(root, maxClaims)) {
          exhausted.push({ executionId: record.id, workflowId: record.workflowId, claimsWithoutCommit });
          this.#due.release(root, now + leaseMs, record.waitingSince);
          continue;
        }
        if (
          isSetApart(claimsWithoutCommit, maxClaims) &&
          record.request === null &&
          this.#runsSetApart(runner, maxClaims)
        ) {
          this.#due.release(root, now + leaseMs, record.waitingSince);
          continue;
        }
        const lease = this.#due.leases.extend(runner, leaseMs, now);
        const one = this.claim(root, lease, leaseMs, definitions[record.definition] ?? record.definition);
        if (one === undefined) continue;
        claimed.push(one);
        running.set(subject, runningOfSubject + 1);
      }
    }
    const isNext = (root: StoredRoot): boolean =>
      Object.hasOwn(definitions, root.record.definition) && !(root.claimableAt <= now && isLeftOut(root));
    this.#due.leases.setDefinitions(runner, new Set(Object.keys(definitions)));
    const nextDueAt = this.#due.nextDueAt(isNext);
    const nextDueInMs = claimed.length >= limit ? 0 : nextDueAt && Math.max(0, nextDueAt - now);
    return { claimed, exhausted, hasLeftOut: leftOut.size > 0, nextDueInMs };
  }

  #runsSetApart(runner: string, maxClaims: number): boolean {
    const roots = this.#due.leases.rootsOf(runner);
    return roots.some(({ claimsWithoutCommit }) => isSetApart(claimsWithoutCommit - 1, maxClaims));
  }
}

/**
 * Whether an execution has been claimed so often without a commit that a runner runs one such
 * execution at a time.
 */
function isSetApart(claimsWithoutCommit: number, maxClaims: number): boolean {
  return 2 * claimsWithoutCommit >= maxClaims;
}
