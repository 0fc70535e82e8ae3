import type { ClaimOptions, DueExecution, Job } from '@halyard/contracts';
import { quarantinedAfter, type QuarantineDependencies, quarantineExecution } from './quarantine-execution.ts';

/** After this many claims in a row without a commit, an execution is suspected of killing its processes. */
const suspectedAfter = 2;

/** How executions are claimed that nobody suspects. */
export const unsuspected: ClaimOptions = { maxClaims: suspectedAfter - 1 };

export function isSuspect({ claimsWithoutCommit }: DueExecution): boolean {
  return claimsWithoutCommit >= suspectedAfter;
}

/**
 * Runs executions that are suspected of killing their process, one at a time.
 *
 * When a process dies, each execution that it ran has one more claim without a commit, and any of them may be the cause. Run one at
 * a time, only the one that kills its process is claimed again and again without a commit, and is quarantined in the end.
 */
export class Suspects {
  readonly #options: QuarantineDependencies;
  #isRunningOne = false;

  constructor(options: QuarantineDependencies) {
    this.#options = options;
  }

  /**
   * Quarantines those that were claimed too often, and runs the others one after the other, the least suspect first. Never rejects.
   *
   * @param run resolves when the execution is no suspect any more, or has ended.
   */
  async handle(suspects: readonly DueExecution[], run: (job: Job) => Promise<void>): Promise<void> {
    const mustBeQuarantined = ({ claimsWithoutCommit }: DueExecution): boolean =>
      claimsWithoutCommit >= quarantinedAfter;
    for (const suspect of suspects.filter(mustBeQuarantined)) await quarantineExecution(this.#options, suspect);
    if (this.#isRunningOne) return;
    this.#isRunningOne = true;
    const others = suspects.filter((suspect) => !mustBeQuarantined(suspect));
    for (const { executionId, workflowId } of others.toSorted(byClaims)) await run({ executionId, workflowId });
    this.#isRunningOne = false;
  }
}

function byClaims(one: DueExecution, other: DueExecution): number {
  return one.claimsWithoutCommit - other.claimsWithoutCommit;
}
