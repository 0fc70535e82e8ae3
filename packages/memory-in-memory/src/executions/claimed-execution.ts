import type { ClaimedExecution, Execution, JournalEntry } from '@halyard/contracts';
import { executionRecord } from './execution-record.ts';
import type { StoredRoot } from './stored-execution.ts';

/** What whoever takes an execution has to know of it. */
export function claimedExecution(root: StoredRoot, now: number): ClaimedExecution {
  return new Claimed(root, now);
}

class Claimed implements ClaimedExecution {
  readonly execution: Execution;
  readonly journal: readonly JournalEntry[];
  readonly children: readonly Execution[];
  readonly claimsWithoutCommit: number;
  readonly now: number;

  constructor(root: StoredRoot, now: number) {
    this.execution = executionRecord(root);
    this.journal = root.journal.slice();
    this.children = root.descendants?.map(executionRecord) ?? [];
    this.claimsWithoutCommit = root.claimsWithoutCommit;
    this.now = now;
  }
}
