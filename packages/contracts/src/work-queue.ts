/** A hint that an execution wants to run. */
export interface Job {
  readonly executionId: string;
  readonly workflowId: string;
}

/**
 * Decides when, and in which process, executions run that want to. The execution store is the truth and this a hint: jobs that are
 * lost, doubled or late harm nothing.
 */
export interface WorkQueue {
  /** Whether another execution may be started. False: the caller is told to come back later, and nothing is written. */
  hasRoom(): boolean;
  /** Adds a hint. Never refuses: what does not fit is found again by the sweep. */
  enqueue(job: Job): void;
  /** Begins handing out jobs. A job holds its place until `run` settles; it never rejects. */
  start(run: (job: Job) => Promise<void>): void;
  /** Hands out no more. What runs goes on. */
  close(): Promise<void>;
}
