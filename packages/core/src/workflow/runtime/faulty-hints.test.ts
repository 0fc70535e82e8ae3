import { type Job, silentLogger, type WorkQueue } from '@halyard/contracts';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createWorkflow } from '../create-workflow.ts';
import { Random } from '../testing/random.ts';
import { InProcessQueue } from './claims/in-process-queue.ts';
import { WorkflowRuntime } from './workflow-runtime.ts';

const clock = { now: () => Date.now() };

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 1) });
});

afterEach(() => {
  vi.useRealTimers();
});

/** How a queue can mishandle the hint that an execution is due. */
type Fault = (job: Job, queue: WorkQueue, random: Random) => void;

/** A queue that two runtimes share, and that delivers hints incorrectly. */
class FaultyQueue implements WorkQueue {
  readonly isShared = true;
  readonly #processes: InProcessQueue[];
  readonly #own: InProcessQueue;
  readonly #fault: Fault;
  readonly #random: Random;

  constructor(processes: InProcessQueue[], fault: Fault, random: Random) {
    this.#own = new InProcessQueue({ concurrency: 3 });
    processes.push(this.#own);
    [this.#processes, this.#fault, this.#random] = [processes, fault, random];
  }

  hasRoom(): boolean {
    return true;
  }

  enqueue(job: Job): void {
    const any = this.#processes[this.#random.below(this.#processes.length)];
    this.#fault(job, any ?? this.#own, this.#random);
  }

  start(run: (job: Job) => Promise<void>): void {
    this.#own.start(run);
  }

  close(): Promise<void> {
    return this.#own.close();
  }
}

const reordered: (() => void)[] = [];
const dropped = new Set<string>();
const faults: Readonly<Record<string, Fault>> = {
  'drops most hints': (job, queue, random) => {
    if (random.below(4) === 0) queue.enqueue(job);
  },
  'drops the first hint of all, and every other': ({ executionId, workflowId }, queue) => {
    if (dropped.delete(executionId)) queue.enqueue({ executionId, workflowId });
    else dropped.add(executionId);
  },
  'doubles hints': (job, queue) => {
    queue.enqueue(job);
    queue.enqueue(job);
  },
  'delays hints': (job, queue, random) => {
    setTimeout(() => queue.enqueue(job), random.below(20_000));
  },
  'reorders hints': (job, queue, random) => {
    reordered.splice(random.below(reordered.length + 1), 0, () => queue.enqueue(job));
    if (reordered.length >= 7) reordered.pop()?.();
  },
  'does all of it': (job, queue, random) => {
    for (let times = random.below(4); times > 0; times -= 1)
      setTimeout(() => queue.enqueue(job), random.below(4) * random.below(10_000));
  },
};

it.each(Object.entries(faults))('a queue that %s loses nothing and runs nothing twice', async (name, fault) => {
  const storage = createInMemoryStorage({ clock });
  const bodies = new Map<string, number>();
  const body =
    (step: string) =>
    async ({ data }: { readonly data: unknown }) => {
      const instance = `${String(data)} ${step}`;
      bodies.set(instance, (bodies.get(instance) ?? 0) + 1);
      await new Promise((resolve) => setTimeout(resolve, 20));
      return data;
    };
  const workflow = createWorkflow({ id: 'order' })
    .andThen({ id: 'price', execute: body('price') })
    .andSleep({ id: 'nap', durationMs: 700 })
    .andThen({ id: 'ship', execute: body('ship') });
  const [random, processes]: [Random, InProcessQueue[]] = [new Random(name.length), []];
  const runtimes = Array.from({ length: 2 }, () => {
    const queue = new FaultyQueue(processes, fault, random);
    const services = { clock, logger: silentLogger };
    return new WorkflowRuntime({ workflows: [workflow], storage, queue, services, leaseMs: 3_000 });
  });
  for (const runtime of runtimes) runtime.start();

  const names = Array.from({ length: 40 }, (_, index) => `order-${index}`);
  const results = Promise.all(
    names.map(async (input, index) => runtimes[index % 2]?.execute('order', input, { executionId: input })),
  );
  await vi.advanceTimersByTimeAsync(120_000);

  expect((await results).map((result) => result?.status)).toEqual(names.map(() => 'completed'));
  expect([...bodies.values()]).toEqual(names.flatMap(() => [1, 1]));
  for (const id of names) {
    const events = await storage.executions.events('anyone', id, { after: 0, limit: 99 });
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events.filter(({ event }) => event.type === 'step-complete')).toHaveLength(3);
  }
  for (const runtime of runtimes) await runtime.stop(0);
});
