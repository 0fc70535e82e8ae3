/** An execution that is due, or has received a signal. */
export interface Job {
  readonly executionId: string;
  readonly workflowId: string;
}
