import type { Job, WorkQueue } from '@halyard/contracts';
import { WaitingJobs } from './waiting-jobs.ts';

export interface InProcessQueueOptions {
  /** How many executions run at a time; default 256. */
  readonly concurrency?: number;
  /** How many executions may wait; further ones are refused. Default: 100 000. */
  readonly maxWaiting?: number;
}

/**
 * Runs jobs in this process, those with the highest priority first. Within a priority, workflows take turns: however many jobs of one workflow are
 * waiting, the first job of another waits at most one turn of each workflow.
 */
export class InProcessQueue implements WorkQueue {
  readonly #concurrency: number;
  readonly #maxWaiting: number;
  readonly #waiting = new WaitingJobs();
  #running = 0;
  #run: ((job: Job) => Promise<void>) | undefined;

  constructor({ concurrency = 256, maxWaiting = 100_000 }: InProcessQueueOptions = {}) {
    this.#concurrency = concurrency;
    this.#maxWaiting = maxWaiting;
  }

  hasRoom(): boolean {
    return this.#waiting.size < this.#maxWaiting;
  }

  enqueue(job: Job): void {
    if (this.#run !== undefined && this.#running < this.#concurrency) void this.#runJob(this.#run, job);
    else this.#waiting.add(job);
  }

  start(run: (job: Job) => Promise<void>): void {
    this.#run = run;
    this.#startWaiting();
  }

  async close(): Promise<void> {
    this.#run = undefined;
  }

  #startWaiting(): void {
    while (this.#run !== undefined && this.#running < this.#concurrency) {
      const job = this.#waiting.take();
      if (job === undefined) return;
      void this.#runJob(this.#run, job);
    }
  }

  /** `run` never rejects. */
  async #runJob(run: (job: Job) => Promise<void>, job: Job): Promise<void> {
    this.#running += 1;
    await run(job);
    this.#running -= 1;
    this.#startWaiting();
  }
}
