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
import { type StoredRoot, toExecution } from './stored-execution.ts';

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
      claimRoot(root, { lease, claimEndsAt, definition });
    });
    this.#watchers.notify(id, 'commit');
    return {
      execution: toExecution(root),
      journal: neededEntries(root),
      children: neededChildren(root).map(toExecution),
      ...(root.checkpoint !== undefined && { checkpoint: root.checkpoint.data }),
      claimsWithoutCommit: root.claimsWithoutCommit,
      now,
    };
  }

  claimNext(
    { leaseMs, runner }: Lease,
    { definitions, limit, maxClaims = Infinity }: ClaimNextOptions,
  ): NextExecutions {
    const now = this.#clock.now();
    this.#due.recover(now, leaseMs, maxClaims);
    const claimed: ClaimedExecution[] = [];
    const exhausted: ExhaustedExecution[] = [];
    while (claimed.length < limit) {
      const roots = this.#due.next(now, definitions, limit - claimed.length, runner);
      if (roots.length === 0) break;
      const lease = this.#due.leases.extend(runner, leaseMs, now);
      for (const root of roots) {
        const { claimsWithoutCommit, record } = root;
        if (claimsWithoutCommit >= maxClaims) {
          exhausted.push({ executionId: record.id, workflowId: record.workflowId, claimsWithoutCommit });
          this.#due.release(root, now + leaseMs, record.waitingSince);
          continue;
        }
        const one = this.claim(root, lease, leaseMs, definitions[record.definition] ?? record.definition);
        if (one !== undefined) claimed.push(one);
      }
    }
    const nextDueAt = this.#due.nextDueAt(new Set(Object.keys(definitions)));
    const nextDueInMs = claimed.length >= limit ? 0 : nextDueAt && Math.max(0, nextDueAt - now);
    return { claimed, exhausted, nextDueInMs };
  }
}
