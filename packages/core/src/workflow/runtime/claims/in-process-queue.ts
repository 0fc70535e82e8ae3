import type { Job, WorkQueue } from '@halyard/contracts';
import { WaitingJobs } from './waiting-jobs.ts';

export interface InProcessQueueOptions {
  /** Executions that run at a time; default 256. */
  readonly concurrency?: number;
  /** Executions that wait before new ones are refused; default 100 000. */
  readonly maxWaiting?: number;
}

/**
 * Runs jobs in this process, those of the highest priority first. Of one priority workflows take turns: with any number waiting of one, the first of another
 * waits for one place at most for each workflow that has jobs waiting.
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
    // Mostly nobody waits, and there is nothing to put in order.
    if (this.#waiting.size === 0 && this.#run !== undefined && this.#running < this.#concurrency)
      this.#begin(this.#run, job);
    else this.#waiting.add(job);
  }

  start(run: (job: Job) => Promise<void>): void {
    this.#run = run;
    this.#handOut();
  }

  async close(): Promise<void> {
    this.#run = undefined;
  }

  #handOut(): void {
    while (this.#run !== undefined && this.#running < this.#concurrency) {
      const job = this.#waiting.take();
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
}
