interface SweptJob {
  readonly addedAt: number;
  readonly dueAt: number;
  isDue: boolean;
}

/** The jobs that sweeps have added to the queue and that have not started in this process. */
export class SweptJobs {
  readonly #repeatMs: number;
  readonly #jobs = new Map<string, SweptJob>();

  /** @param repeatMs how soon a job may be added again. */
  constructor(repeatMs: number) {
    this.#repeatMs = repeatMs;
  }

  add(executionId: string, dueAt: number, now: number): void {
    this.#jobs.set(executionId, { addedAt: now, dueAt, isDue: true });
  }

  /** Whether the job for this time has been added so recently that another process of a shared queue may be about to claim the execution. */
  isRecent(executionId: string, dueAt: number, now: number): boolean {
    const job = this.#jobs.get(executionId);
    if (job === undefined || job.dueAt !== dueAt) return false;
    // The clock may have been set back.
    return Math.abs(now - job.addedAt) < this.#repeatMs;
  }

  /** @param executionIds everything that is due: the other jobs have started in other processes. */
  keepDue(executionIds: ReadonlySet<string>): void {
    for (const [id, job] of this.#jobs) job.isDue = executionIds.has(id);
  }

  /** Forgets the jobs that have started in other processes: for a shared queue, which does not bring them here. */
  forgetStarted(): void {
    for (const [id, { isDue }] of this.#jobs) if (!isDue) this.#jobs.delete(id);
  }

  /** Forgets a job. @returns whether its execution has started in another process. */
  take(executionId: string): boolean {
    const job = this.#jobs.get(executionId);
    this.#jobs.delete(executionId);
    return job?.isDue === false;
  }
}
