import type { Job, WorkQueue } from '@halyard/contracts';
import { ConformanceError } from '../conformance-error.ts';
import type { WorkQueueHarness } from './work-queue-harness.ts';

/** The workflows of the sample jobs. */
const workflowIds: readonly string[] = ['orders', 'notes', 'a:b.c-d_e'];

/** Milliseconds within which a job must be handed out. A busy machine does not reach it. */
const patienceMs = 120_000;
/** Milliseconds to wait for something that must not happen. */
const quietMs = 100;

/** A process that runs the jobs it gets, until the case ends them. */
export class TestProcess {
  readonly queue: WorkQueue;
  readonly #takesInMs: number;
  /** All jobs that it got, in order. */
  readonly begun: Job[] = [];
  readonly #running: { readonly job: Job; readonly end: () => void }[] = [];
  readonly #waiting = new Set<() => void>();
  /** Whether jobs end immediately. */
  isQuick = false;
  mostAtOnce = 0;

  constructor(queue: WorkQueue, takesInMs: number = quietMs) {
    this.queue = queue;
    this.#takesInMs = takesInMs;
  }

  start(): this {
    this.queue.start((job) => this.#run(job), workflowIds);
    return this;
  }

  get runningIds(): readonly string[] {
    return this.#running.map(({ job }) => job.executionId);
  }

  get begunIds(): readonly string[] {
    return this.begun.map(({ executionId }) => executionId);
  }

  add(...executionIds: readonly string[]): this {
    for (const executionId of executionIds) this.queue.enqueue({ executionId, workflowId: 'orders' });
    return this;
  }

  /** Waits until added jobs can be handed out. */
  async takesIn(): Promise<void> {
    await pause(this.#takesInMs);
  }

  /** Ends the job that began first. */
  end(): void {
    this.#running.shift()?.end();
  }

  endAll(): void {
    for (const { end } of this.#running.splice(0)) end();
  }

  /** Waits until the condition is true, and throws when that takes too long. */
  async until(condition: () => boolean, what: string): Promise<void> {
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(
      () => late.reject(new ConformanceError(`${what}, but that did not happen in time`)),
      patienceMs,
    );
    try {
      while (!condition()) {
        const next = Promise.withResolvers<void>();
        this.#waiting.add(next.resolve);
        await Promise.race([next.promise, late.promise]);
        this.#waiting.delete(next.resolve);
      }
    } finally {
      clearTimeout(timer);
    }
  }

  async untilBegun(count: number): Promise<void> {
    await this.until(() => this.begun.length >= count, `${count} jobs should be handed out`);
  }

  async #run(job: Job): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.begun.push(job);
    if (this.isQuick) resolve();
    else this.#running.push({ job, end: resolve });
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#running.length);
    for (const wake of this.#waiting) wake();
    await promise;
  }
}

/** Waits long enough for something that must not happen. */
export async function quiet(): Promise<void> {
  await pause(quietMs);
}

async function pause(ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  setTimeout(resolve, ms);
  await promise;
}

/** Runs a case with a process, and closes its queue afterwards. */
export async function withProcess(
  { open, takesInMs }: WorkQueueHarness,
  concurrency: number,
  work: (process: TestProcess) => Promise<void>,
): Promise<void> {
  const queue = open({ concurrency });
  const process = new TestProcess(queue, takesInMs);
  try {
    await work(process);
  } finally {
    process.isQuick = true;
    process.endAll();
    await queue.close();
  }
}
