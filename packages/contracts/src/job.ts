/** A hint that an execution is due. */
export interface Job {
  readonly executionId: string;
  readonly workflowId: string;
  /** Waiting jobs with the highest priority run first. An integer from -1000 to 1000; default 0. */
  readonly priority?: number;
  /** On whose behalf the execution runs: a user, or the address of a caller without one. Subjects take turns. Absent: the app's own work. */
  readonly subject?: string | undefined;
}
