/** How many executions a report names in each of its lists. Further ones are only counted. */
const maxReported = 200;

/** Why an operation was not carried out for an execution. */
export interface BulkRefusal {
  readonly executionId: string;
  readonly workflowId: string;
  /** A stable error code. */
  readonly code: string;
  readonly message: string;
}

/** The outcomes of a bulk operation so far. */
export interface BulkReport {
  readonly succeeded: number;
  /**
   * Executions whose state does not allow the operation, such as a retry of an execution that has
   * not failed.
   */
  readonly skipped: number;
  readonly failed: number;
  /** The first {@link maxReported} that were skipped. */
  readonly skips: readonly BulkRefusal[];
  /** The first {@link maxReported} that failed. */
  readonly failures: readonly BulkRefusal[];
}

/** The outcome for one execution. */
export type BulkOutcome =
  | { readonly kind: 'succeeded' }
  | { readonly kind: 'skipped' | 'failed'; readonly refusal: BulkRefusal };

export const emptyReport: BulkReport = { succeeded: 0, skipped: 0, failed: 0, skips: [], failures: [] };

export function addOutcomes(report: BulkReport, outcomes: readonly BulkOutcome[]): BulkReport {
  const refusalsOf = (kind: 'skipped' | 'failed'): readonly BulkRefusal[] =>
    outcomes.flatMap((outcome) => (outcome.kind === kind ? [outcome.refusal] : []));
  const [skips, failures] = [refusalsOf('skipped'), refusalsOf('failed')];
  return {
    succeeded: report.succeeded + outcomes.length - skips.length - failures.length,
    skipped: report.skipped + skips.length,
    failed: report.failed + failures.length,
    skips: [...report.skips, ...skips].slice(0, maxReported),
    failures: [...report.failures, ...failures].slice(0, maxReported),
  };
}

/** The fields of the report that have changed: the lists are long, and each change is recorded. */
export function changedFields(before: BulkReport, after: BulkReport): Partial<BulkReport> {
  const { failures, skips, ...counts } = after;
  return {
    ...counts,
    ...(skips.length !== before.skips.length && { skips }),
    ...(failures.length !== before.failures.length && { failures }),
  };
}
