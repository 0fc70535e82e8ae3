import type { DueExecutions } from './due-executions.ts';
import type { StoredRoot } from './stored-execution.ts';

/** Takes the lease of a root from its runner. @param dueAt when it may be claimed; Infinity: not before a signal. */
export function releaseRoot(
  due: DueExecutions,
  root: StoredRoot,
  dueAt: number,
  waitingSince: number | null = null,
): void {
  due.move(root, () => {
    root.record.runner = null;
    root.lease = undefined;
    root.record.waitingSince = waitingSince;
    root.claimableAt = dueAt;
  });
}
