/** A hint that an execution wants to run. */
export interface Job {
  readonly executionId: string;
  readonly workflowId: string;
  /** Of a workflow's jobs that wait, the highest is handed out first; workflows may take turns. Whole, -1000 to 1000; default 0. */
  readonly priority?: number;
}

/** When executions of a workflow start by themselves. Its name is unique in its workflow. */
export interface ScheduleRule {
  readonly workflowId: string;
  readonly name: string;
  /** A cron expression. */
  readonly cron: string;
  /** IANA name. */
  readonly timeZone: string;
  /** What to do about ticks that nobody was there for: start once for the last of them, or not at all. */
  readonly missed: 'once' | 'skip';
}

/** A schedule ticked. */
export interface ScheduleTick {
  readonly workflowId: string;
  readonly name: string;
  /** When the queue noticed, in milliseconds since the epoch: the tick is the last one at or before it. */
  readonly noticedAt: number;
}

/**
 * Decides when, and in which process, executions run that want to. The execution store is the truth and this a hint: jobs that are
 * lost, doubled or late harm nothing.
 */
export interface WorkQueue {
  /** Whether other processes may be handed what this one adds. Default: no. */
  readonly isShared?: boolean;
  /** Whether another execution may be started. False: the caller is told to come back later, and nothing is written. */
  hasRoom(): boolean;
  /** Adds a hint. Never refuses, never throws: what does not fit is found again by the sweep. */
  enqueue(job: Job): void;
  /**
   * Begins handing out jobs. A job holds its place until `run` settles; it never rejects.
   *
   * @param workflowIds the workflows that this process runs: of others it is handed nothing.
   */
  start(run: (job: Job) => Promise<void>, workflowIds: readonly string[]): void;
  /** Hands out no more, and lets go of all that it holds open. What runs goes on, and is not waited for. */
  close(): Promise<void>;
  /**
   * Stores the schedules of this process's workflows in place of those that were there, and tells of their ticks, to one of the
   * processes, perhaps late, perhaps more than once. Called after {@link start}, and never rejects or throws: whoever calls it keeps
   * the time as well. Absent: nothing is stored.
   *
   * @param onTick rejects when the tick could not be used, and should be told again.
   */
  keepSchedules?(rules: readonly ScheduleRule[], onTick: (tick: ScheduleTick) => Promise<void>): void;
}
