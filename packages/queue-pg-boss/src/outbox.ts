import type { Job } from '@halyard/contracts';

/** Jobs that have not been written to the database yet, by workflow. Each execution has at most one. */
export class Outbox {
  readonly #jobs = new Map<string, Map<string, Job>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(workflowId: string): boolean {
    return this.#jobs.has(workflowId);
  }

  add(job: Job): void {
    const jobs = this.#jobs.get(job.workflowId) ?? new Map<string, Job>();
    this.#jobs.set(job.workflowId, jobs);
    if (!jobs.has(job.executionId)) this.#size += 1;
    jobs.set(job.executionId, job);
  }

  /** Removes and returns all jobs of one workflow. */
  take(): { readonly workflowId: string; readonly jobs: readonly Job[] } | undefined {
    for (const [workflowId, jobs] of this.#jobs) {
      this.#jobs.delete(workflowId);
      this.#size -= jobs.size;
      return { workflowId, jobs: [...jobs.values()] };
    }
    return undefined;
  }

  clear(): void {
    this.#jobs.clear();
    this.#size = 0;
  }
}
