import type { OverdueExecution } from '@halyard/contracts';

interface NewJob {
  readonly executionId: string;
  readonly priority: number;
  readonly addedAt: number;
}

interface QueuedJob extends NewJob {
  /** How many reads had begun when it was added. */
  readonly reads: number;
  isDue: boolean;
}

interface DueRead {
  /** The number of the read. */
  readonly read: number;
  /** Whether nothing else is due that this process should run. Otherwise, what follows the last one is unknown. */
  readonly isComplete: boolean;
}

/** The jobs that this process has added to the queue and that have not started here. Sweeps find out which of them have started in other processes, or are left to them. */
export class QueuedJobs {
  readonly #jobs = new Map<string, QueuedJob>();
  #reads = 0;

  add(job: NewJob): void {
    this.#jobs.set(job.executionId, { ...job, reads: this.#reads, isDue: true });
  }

  /** To be called before what is due is read. @returns the number of the read. */
  beginRead(): number {
    this.#reads += 1;
    return this.#reads;
  }

  /**
   * Finds out which jobs other processes run. A wrong guess does no harm: a later sweep adds the job again.
   *
   * @param due what this process should run, the highest priority first, and within a priority what has been due for longest. Of each user, what comes first.
   */
  keepDue(due: readonly OverdueExecution[], { isComplete, read }: DueRead): void {
    const executionIds = new Set(due.map(({ executionId }) => executionId));
    if (due.length === 0 && !isComplete) return;
    const last = isComplete ? { dueAt: Infinity, priority: -Infinity } : lastOfEach(due);
    for (const [id, job] of this.#jobs) {
      // The jobs are in the order in which they were added.
      if (job.addedAt > last.dueAt) break;
      if (job.reads < read && job.priority >= last.priority) job.isDue = executionIds.has(id);
    }
  }

  /** Forgets a job. @returns whether another process runs its execution. */
  take(executionId: string): boolean {
    const job = this.#jobs.get(executionId);
    this.#jobs.delete(executionId);
    return job?.isDue === false;
  }
}

/** Up to here, a list in which users take turns has what is due of each of them. */
function lastOfEach(due: readonly OverdueExecution[]): Pick<OverdueExecution, 'dueAt' | 'priority'> {
  const lasts = [...new Map(due.map((one) => [one.userId, one])).values()];
  return {
    dueAt: Math.min(...lasts.map(({ dueAt }) => dueAt)),
    priority: Math.max(...lasts.map(({ priority }) => priority)),
  };
}
