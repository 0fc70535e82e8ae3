import { checkOptionNames, ConfigurationError, type Job, type OptionNames } from '@halyard/contracts';
import { Shares } from '../../../services/shares.ts';
import { WaitingJobs } from './waiting-jobs.ts';

/** How a process shares its slots for executions. */
export interface ExecutionQueueOptions {
  /** How many executions run at a time: a whole number from 1. Default: 256. */
  readonly concurrency?: number;
  /** How many executions may wait; further ones are refused. A whole number from 0. Default: 100 000. */
  readonly maxWaiting?: number;
  /** The weight of a subject: how many of its executions start in its turn, and how many times the share of others it has. A whole number from 1. Default: 1. */
  readonly weightOf?: (subject: string) => number;
}

/**
 * Runs jobs in this process, and shares its slots between subjects: however many jobs one of them has, the first job of another finds a
 * slot. Jobs with the highest priority start first; within a priority subjects take turns, and the workflows of a subject do.
 *
 * A subject that has used up its share of the slots ({@link Shares}) waits, whatever the priority of its jobs. Jobs without a subject
 * take turns like one, and may use all slots.
 */
export class ExecutionQueue {
  readonly #concurrency: number;
  readonly #maxWaiting: number;
  readonly #running: Shares;
  readonly #places: Shares;
  readonly #waiting: WaitingJobs;
  #run: ((job: Job) => Promise<void>) | undefined;

  /** @throws ConfigurationError for an option that is unknown or out of range. */
  constructor(options: ExecutionQueueOptions = {}) {
    checkOptions(options);
    const { concurrency = 256, maxWaiting = 100_000, weightOf } = options;
    this.#concurrency = concurrency;
    this.#maxWaiting = maxWaiting;
    this.#running = new Shares({ slots: concurrency, weightOf });
    this.#places = new Shares({ slots: maxWaiting, weightOf });
    this.#waiting = new WaitingJobs(weightOf);
  }

  /**
   * Whether another execution may be started. If not, the request is refused and nothing is written.
   *
   * @param subject of its job. There may be room for the jobs of others only.
   */
  hasRoom(subject?: string): boolean {
    if (subject !== undefined) return this.#places.refusalOf(subject) === undefined;
    return this.#waiting.size < this.#maxWaiting;
  }

  /** How many jobs wait. */
  waitingCount(): number {
    return this.#waiting.size;
  }

  /** Adds a job. A sweep of the store finds what is lost with the process. */
  enqueue(job: Job): void {
    if (this.#run !== undefined && this.#mayRun(job.subject)) void this.#runJob(this.#run, job);
    else if (this.#waiting.add(job)) this.#places.take(job.subject);
  }

  /** Starts running jobs. A job occupies its slot until `run` settles; `run` never rejects. */
  start(run: (job: Job) => Promise<void>): void {
    this.#run = run;
    this.#startWaiting();
  }

  /** Starts no more jobs. Running ones continue. */
  close(): void {
    this.#run = undefined;
  }

  #mayRun(subject: string | undefined): boolean {
    if (subject !== undefined) return this.#running.refusalOf(subject) === undefined;
    return this.#running.taken < this.#concurrency;
  }

  #startWaiting(): void {
    while (this.#run !== undefined && this.#running.taken < this.#concurrency) {
      const job = this.#waiting.take((subject) => this.#mayRun(subject));
      if (job === undefined) return;
      this.#places.release(job.subject);
      void this.#runJob(this.#run, job);
    }
  }

  /** `run` never rejects. */
  async #runJob(run: (job: Job) => Promise<void>, job: Job): Promise<void> {
    this.#running.take(job.subject);
    await run(job);
    this.#running.release(job.subject);
    this.#startWaiting();
  }
}

const optionNames: OptionNames<ExecutionQueueOptions> = { concurrency: true, maxWaiting: true, weightOf: true };

function checkOptions(options: ExecutionQueueOptions): void {
  checkOptionNames('The option `queue`', options, optionNames);
  checkWhole('concurrency', options.concurrency, 1);
  checkWhole('maxWaiting', options.maxWaiting, 0);
  if (options.weightOf !== undefined && typeof options.weightOf !== 'function')
    throw new ConfigurationError('The option `queue.weightOf` must be a function');
}

function checkWhole(name: string, value: number | undefined, least: number): void {
  if (value === undefined || value === Infinity || (Number.isInteger(value) && value >= least)) return;
  throw new ConfigurationError(`The option \`queue.${name}\` must be a whole number from ${least}, not ${value}`);
}
