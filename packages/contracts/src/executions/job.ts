/** An execution that is due, or has received a signal. */
export interface Job {
  readonly executionId: string;
  readonly workflowId: string;
  /**
   * On whose behalf it runs: see the option of that name of a new execution. Absent: not known, or
   * the app's own work.
   */
  readonly subject?: string | undefined;
}
