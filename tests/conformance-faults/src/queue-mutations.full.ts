import { ConformanceError, workQueueCases } from '@halyard/conformance';
import type { Job, WorkQueue } from '@halyard/contracts';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { WaitingJobs } from '../../../packages/core/src/workflow/runtime/claims/waiting-jobs.ts';

beforeAll(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});

afterAll(() => {
  vi.useRealTimers();
});

type Run = (job: Job) => Promise<void>;

/** The waiting jobs that several processes share. */
class Shared {
  readonly waiting = new WaitingJobs();
  readonly processes: ModelQueue[] = [];
}

/** A queue for several simulated processes. Each fault overrides a part of it. */
class ModelQueue implements WorkQueue {
  readonly isShared = true;
  readonly shared: Shared;
  readonly concurrency: number;
  running = 0;
  run: Run | undefined;

  constructor(shared: Shared, concurrency: number) {
    this.shared = shared;
    this.concurrency = concurrency;
    shared.processes.push(this);
  }

  hasRoom(): boolean {
    return true;
  }

  enqueue(job: Job): void {
    this.shared.waiting.add(job);
    this.wake();
  }

  start(run: Run): void {
    this.run = run;
    this.handOut();
  }

  async close(): Promise<void> {
    this.run = undefined;
  }

  wake(): void {
    for (const process of [this, ...this.shared.processes]) process.handOut();
  }

  take(): Job | undefined {
    return this.shared.waiting.take();
  }

  handOut(): void {
    while (this.run !== undefined && this.running < this.concurrency) {
      const job = this.take();
      if (job === undefined) return;
      this.begin(this.run, job);
    }
  }

  begin(run: Run, job: Job): void {
    this.running += 1;
    void run(job).then(() => this.ended());
  }

  ended(): void {
    this.running -= 1;
    this.handOut();
  }
}

type Model = new (shared: Shared, concurrency: number) => ModelQueue;

/** Queues with one fault each, and the case that must find it. */
const mutations: readonly (readonly [fault: string, foundBy: string, queue: Model])[] = [
  [
    'loses jobs',
    'hands out each of many jobs once, with few slots',
    class extends ModelQueue {
      override enqueue(job: Job): void {
        if (!job.executionId.endsWith('7')) super.enqueue(job);
      }
    },
  ],
  [
    'forgets what came before it was started',
    'hands out jobs that were added before and after the start',
    class extends ModelQueue {
      override enqueue(job: Job): void {
        if (this.run !== undefined) super.enqueue(job);
      }
    },
  ],
  [
    'hands out jobs twice',
    'hands out each of many jobs once, with few slots',
    class extends ModelQueue {
      override begin(run: Run, job: Job): void {
        super.begin(run, job);
        if (job.executionId === 'run-5') super.begin(run, job);
      }
    },
  ],
  [
    'lets an execution wait as often as it is hinted',
    'queues an execution once when it is enqueued repeatedly',
    class extends ModelQueue {
      #count = 0;
      override enqueue(job: Job): void {
        super.enqueue({ ...job, executionId: `${(this.#count += 1)} ${job.executionId}` });
      }
      override take(): Job | undefined {
        const job = super.take();
        return job && { ...job, executionId: job.executionId.replace(/^\d+ /, '') };
      }
    },
  ],
  [
    'never hands out again what it handed out once',
    'hands out an execution again when it is enqueued after its run',
    class extends ModelQueue {
      readonly #seen = new Set<string>();
      override begin(run: Run, job: Job): void {
        if (this.#seen.has(job.executionId)) return;
        this.#seen.add(job.executionId);
        super.begin(run, job);
      }
    },
  ],
  [
    'has no end of places',
    'runs at most as many jobs at a time as it has slots',
    class extends ModelQueue {
      override readonly concurrency = 1_000;
    },
  ],
  [
    'frees a place before its job is over',
    'runs at most as many jobs at a time as it has slots',
    class extends ModelQueue {
      override begin(run: Run, job: Job): void {
        void run(job);
      }
    },
  ],
  [
    'has one place only',
    'uses all of its slots',
    class extends ModelQueue {
      override readonly concurrency = 1;
    },
  ],
  [
    'never frees a place',
    'hands out each of many jobs once, with few slots',
    class extends ModelQueue {
      override ended(): void {}
    },
  ],
  [
    'hands out the lowest priority first',
    'hands out the highest priority of a workflow first',
    class extends ModelQueue {
      override enqueue({ priority = 0, ...job }: Job): void {
        super.enqueue({ ...job, priority: -priority });
      }
    },
  ],
  [
    'knows no priorities',
    'hands out the highest priority of a workflow first',
    class extends ModelQueue {
      override enqueue({ executionId, workflowId }: Job): void {
        super.enqueue({ executionId, workflowId });
      }
    },
  ],
  [
    'hands out in the order of arrival, whatever the workflow',
    'alternates between workflows, although many jobs of one wait',
    class extends ModelQueue {
      override enqueue(job: Job): void {
        super.enqueue({ ...job, executionId: `${job.workflowId} ${job.executionId}`, workflowId: 'any' });
      }
      override take(): Job | undefined {
        const job = super.take();
        const [workflowId = '', ...id] = job?.executionId.split(' ') ?? [];
        return job && { executionId: id.join(' '), workflowId };
      }
    },
  ],
  [
    'trims ids',
    'returns ids of executions and workflows unchanged',
    class extends ModelQueue {
      override enqueue(job: Job): void {
        super.enqueue({ ...job, executionId: job.executionId.trim() });
      }
    },
  ],
  [
    'writes other names of workflows',
    'returns ids of executions and workflows unchanged',
    class extends ModelQueue {
      override enqueue(job: Job): void {
        super.enqueue({ ...job, workflowId: job.workflowId.replace(':', '_') });
      }
    },
  ],
  [
    'continues after it is closed',
    'hands out nothing after it is closed, and does not wait for running jobs',
    class extends ModelQueue {
      override async close(): Promise<void> {}
    },
  ],
  [
    'waits for what runs when it is closed',
    'hands out nothing after it is closed, and does not wait for running jobs',
    class extends ModelQueue {
      override async close(): Promise<void> {
        await super.close();
        for (let waited = 0; this.running > 0 && waited < 12_000; waited += 50)
          await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
  ],
  [
    'refuses what comes after it is closed',
    'accepts jobs before the start and after the close',
    class extends ModelQueue {
      #isClosed = false;
      override enqueue(job: Job): void {
        if (this.#isClosed) throw new RangeError('closed');
        super.enqueue(job);
      }
      override async close(): Promise<void> {
        this.#isClosed = true;
        await super.close();
      }
    },
  ],
  [
    'cannot be closed before it was started',
    'can be closed before it is started',
    class extends ModelQueue {
      override async close(): Promise<void> {
        if (this.run === undefined) throw new RangeError('not started');
        await super.close();
      }
    },
  ],
  [
    'has no room as soon as something waits',
    'has room while few jobs wait',
    class extends ModelQueue {
      override hasRoom(): boolean {
        return this.shared.waiting.size === 0;
      }
    },
  ],
  [
    'keeps to its own process what it has no place for',
    'lets another process run jobs for which one has no slot',
    class extends ModelQueue {
      readonly #own = new WaitingJobs();
      override enqueue(job: Job): void {
        this.#own.add(job);
        this.handOut();
      }
      override take(): Job | undefined {
        return this.#own.take();
      }
    },
  ],
  [
    'hands out a job in each process',
    'hands out each job in one process only, whichever process added it',
    class extends ModelQueue {
      override begin(run: Run, job: Job): void {
        for (const process of this.shared.processes) if (process.run !== undefined) void process.run(job);
        super.begin(run, { ...job });
      }
    },
  ],
  [
    'takes what waits along when it is closed',
    'leaves waiting jobs to other processes when it is closed',
    class extends ModelQueue {
      override async close(): Promise<void> {
        await super.close();
        while (this.take() !== undefined);
      }
    },
  ],
  [
    'hands out what runs elsewhere',
    'does not hand out a job that runs in another process',
    class extends ModelQueue {
      override start(run: Run): void {
        super.start(run);
        if (this.shared.processes.length > 1) this.begin(run, { executionId: 'second', workflowId: 'orders' });
      }
    },
  ],
];

describe('the conformance suite of queues', () => {
  it.each(mutations)('finds a queue that %s', async (_fault, foundBy, Mutation) => {
    expect(await failureOf(foundBy, Mutation)).toBeInstanceOf(ConformanceError);
  });

  it.each(workQueueCases)('passes a correct queue: $name', async ({ name }) => {
    expect(await failureOf(name, ModelQueue)).toBeUndefined();
  });

  it('has no case without a fault that it finds', () => {
    const found = new Set(mutations.map(([, foundBy]) => foundBy));
    expect(workQueueCases.map(({ name }) => name).filter((name) => !found.has(name))).toEqual([]);
  });
});

/** Time passes at once while a case waits. */
async function failureOf(name: string, Queue: Model): Promise<unknown> {
  const shared = new Shared();
  const found = workQueueCases.find((each) => each.name === name);
  if (found === undefined) return `there is no case "${name}"`;
  let isOver = false;
  const outcome = found
    .run({ open: ({ concurrency }) => new Queue(shared, concurrency) })
    .then(
      () => undefined,
      (error: unknown) => (error instanceof RangeError ? new ConformanceError(error.message) : error),
    )
    .finally(() => {
      isOver = true;
    });
  while (!isOver) await vi.advanceTimersByTimeAsync(1_000);
  return outcome;
}
