import type { ClaimedExecution, Execution, JournalEntry } from '@halyard/contracts';
import { executionRecord, type ExecutionRow } from './execution-record.ts';

interface ClaimedJson {
  readonly now: number;
  readonly execution: ExecutionRow;
  readonly journal: readonly string[] | null;
  readonly children: readonly ExecutionRow[] | null;
}

/** @param json as `claim_executions` answers. */
export function claimedExecution(json: string): ClaimedExecution {
  return new Claimed(JSON.parse(json) as ClaimedJson);
}

class Claimed implements ClaimedExecution {
  readonly execution: Execution;
  readonly journal: readonly JournalEntry[];
  readonly children: readonly Execution[];
  readonly claimsWithoutCommit: number;
  readonly now: number;

  constructor({ children, execution, journal, now }: ClaimedJson) {
    this.execution = executionRecord(execution);
    this.journal = journal?.map((entry) => JSON.parse(entry) as JournalEntry) ?? [];
    this.children = children?.map((child) => executionRecord(child, execution.waits)) ?? [];
    this.claimsWithoutCommit = execution.fruitless_claims;
    this.now = now;
  }
}
