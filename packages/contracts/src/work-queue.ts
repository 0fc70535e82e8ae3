/** A hint that an execution is due. */
export interface Job {
  readonly executionId: string;
  readonly workflowId: string;
  /** Waiting jobs of a workflow with the highest priority run first; workflows may take turns. An integer from -1000 to 1000; default 0. */
  readonly priority?: number;
  /** On whose behalf the execution runs: a user, or the address of a caller without one. Subjects take turns. Absent: the app's own work. */
  readonly subject?: string | undefined;
}

/** When executions of a workflow are started automatically. `name` is unique in its workflow. */
export interface ScheduleRule {
  readonly workflowId: string;
  readonly name: string;
  /** A cron expression. */
  readonly cron: string;
  /** IANA name. */
  readonly timeZone: string;
  /** Ticks while no process runs: `once` starts one execution for the last of them, `skip` none. */
  readonly missed: 'once' | 'skip';
}

/** A schedule ticked. */
export interface ScheduleTick {
  readonly workflowId: string;
  readonly name: string;
  /** When the queue noticed the tick, in milliseconds since the epoch. The tick is the last one at or before it. */
  readonly noticedAt: number;
}

/**
 * Decides when, and in which process, executions run. The execution store is authoritative and jobs are hints: lost, duplicate or late jobs do no harm.
 */
export interface WorkQueue {
  /** Whether other processes may receive the jobs that this one adds. Default: no. */
  readonly isShared?: boolean;
  /**
   * Whether another execution may be started. If not, the request is refused and nothing is written.
   *
   * @param subject of its job. A queue may have room for the jobs of others only.
   */
  hasRoom(subject?: string): boolean;
  /** How many jobs wait, for metrics; those of all processes where the queue is shared. Absent: the queue does not know. */
  waitingCount?(): number;
  /** Adds a job. Never throws; a job that does not fit may be dropped, because a sweep finds its execution again. */
  enqueue(job: Job): void;
  /**
   * Starts running jobs. A job occupies its slot until `run` settles; `run` never rejects.
   *
   * @param workflowIds the workflows that this process runs. It receives no jobs of others.
   */
  start(run: (job: Job) => Promise<void>, workflowIds: readonly string[]): void;
  /** Resolves after the first attempt to open the database. Absent: the queue needs no opening. @throws ConfigurationError when it cannot be opened until somebody acts. */
  opened?(): Promise<void>;
  /** Starts no more jobs and closes all connections. Does not wait for running jobs, which continue. */
  close(): Promise<void>;
  /**
   * Stores the schedules of this process's workflows, replacing earlier ones, and delivers each tick to one of the processes, possibly late and
   * possibly more than once. Called after {@link start}. Never throws: the caller runs its own timers as well. Absent: schedules are not stored.
   *
   * @param onTick rejects when the tick could not be handled and should be delivered again.
   */
  keepSchedules?(rules: readonly ScheduleRule[], onTick: (tick: ScheduleTick) => Promise<void>): void;
}
