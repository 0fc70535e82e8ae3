import type { DueExecution, OverdueExecution } from '@halyard/contracts';

/** For cases that do not compare times. */
export function withoutDueAt(due: readonly OverdueExecution[]): readonly DueExecution[] {
  return due.map(({ dueAt: _dueAt, ...rest }) => rest);
}
