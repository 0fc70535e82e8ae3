import type { Job, WorkQueue } from '@halyard/contracts';

export interface InProcessQueueOptions {
  /** Executions that run at a time; default 256. */
  readonly concurrency?: number;
  /** Executions that wait before new ones are refused; default 100 000. */
  readonly maxWaiting?: number;
}

/**
 * Runs jobs in this process. Workflows take turns: with any number waiting of one, the first of another waits for one place at most for each workflow
 * that has jobs waiting.
 */
export class InProcessQueue implements WorkQueue {
  readonly #concurrency: number;
  readonly #maxWaiting: number;
  /** Jobs by workflow; the workflow whose turn it is comes first. */
  readonly #waiting = new Map<string, Set<string>>();
  #waitingCount = 0;
  #running = 0;
  #run: ((job: Job) => Promise<void>) | undefined;

  constructor({ concurrency = 256, maxWaiting = 100_000 }: InProcessQueueOptions = {}) {
    this.#concurrency = concurrency;
    this.#maxWaiting = maxWaiting;
  }

  hasRoom(): boolean {
    return this.#waitingCount < this.#maxWaiting;
  }

  enqueue(job: Job): void {
    // Mostly nobody waits, and there is nothing to put in order.
    if (this.#waitingCount === 0 && this.#run !== undefined && this.#running < this.#concurrency)
      this.#begin(this.#run, job);
    else this.#add(job);
  }

  start(run: (job: Job) => Promise<void>): void {
    this.#run = run;
    this.#handOut();
  }

  async close(): Promise<void> {
    this.#run = undefined;
  }

  #add({ executionId, workflowId }: Job): void {
    let jobs = this.#waiting.get(workflowId);
    if (jobs === undefined) {
      jobs = new Set();
      this.#waiting.set(workflowId, jobs);
    }
    if (jobs.has(executionId)) return;
    jobs.add(executionId);
    this.#waitingCount += 1;
  }

  #handOut(): void {
    while (this.#run !== undefined && this.#running < this.#concurrency) {
      const job = this.#take();
      if (job === undefined) return;
      this.#begin(this.#run, job);
    }
  }

  #begin(run: (job: Job) => Promise<void>, job: Job): void {
    this.#running += 1;
    // It never rejects.
    void run(job).then(this.#onDone);
  }

  readonly #onDone = (): void => {
    this.#running -= 1;
    this.#handOut();
  };

  /** The workflow that was served goes to the end. */
  #take(): Job | undefined {
    for (const [workflowId, jobs] of this.#waiting) {
      this.#waiting.delete(workflowId);
      for (const executionId of jobs) {
        jobs.delete(executionId);
        this.#waitingCount -= 1;
        if (jobs.size > 0) this.#waiting.set(workflowId, jobs);
        return { executionId, workflowId };
      }
    }
    return undefined;
  }
}
