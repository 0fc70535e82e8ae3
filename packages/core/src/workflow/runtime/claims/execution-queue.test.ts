import { ConfigurationError, type Job } from '@halyard/contracts';
import { describe, expect, it } from 'vitest';
import { ExecutionQueue } from './execution-queue.ts';

/** Starts jobs that run until the test ends them. */
function started(queue: ExecutionQueue): { readonly running: Job[]; readonly end: (index?: number) => Promise<void> } {
  const running: Job[] = [];
  const ends: (() => void)[] = [];
  queue.start((job) => {
    running.push(job);
    const { promise, resolve } = Promise.withResolvers<void>();
    ends.push(resolve);
    return promise;
  });
  return {
    running,
    end: async (index = 0) => {
      ends.splice(index, 1)[0]?.();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

function fill(queue: ExecutionQueue, workflowId: string, count: number): void {
  for (let index = 0; index < count; index += 1) queue.enqueue({ executionId: `${workflowId}-${index}`, workflowId });
}

it('runs no more jobs at a time than its limit', async () => {
  const queue = new ExecutionQueue({ concurrency: 2 });
  const { end, running } = started(queue);
  fill(queue, 'a', 3);
  expect(running.map(({ executionId }) => executionId)).toEqual(['a-0', 'a-1']);

  await end();
  expect(running.map(({ executionId }) => executionId)).toEqual(['a-0', 'a-1', 'a-2']);
});

it('runs the first job of another workflow next, however many jobs of one workflow wait', async () => {
  const queue = new ExecutionQueue({ concurrency: 1 });
  const { end, running } = started(queue);
  fill(queue, 'busy', 1_000);
  fill(queue, 'other', 2);
  fill(queue, 'third', 1);

  for (let ended = 0; ended < 5; ended += 1) await end();

  expect(running.map(({ workflowId }) => workflowId)).toEqual(['busy', 'busy', 'other', 'third', 'busy', 'other']);
});

it('starts the highest priority first, and within it in order of arrival', async () => {
  const queue = new ExecutionQueue({ concurrency: 1 });
  const { end, running } = started(queue);
  fill(queue, 'a', 1);
  for (const [executionId, priority] of [
    ['plain', undefined],
    ['low', -1],
    ['high-0', 5],
    ['higher', 7],
    ['high-1', 5],
  ] as const)
    queue.enqueue({ executionId, workflowId: 'a', ...(priority !== undefined && { priority }) });

  for (let ended = 0; ended < 5; ended += 1) await end();

  expect(running.map(({ executionId }) => executionId)).toEqual(['a-0', 'higher', 'high-0', 'high-1', 'plain', 'low']);
});

it('ignores a job that is already waiting', () => {
  const queue = new ExecutionQueue({ concurrency: 1 });
  fill(queue, 'a', 1);
  fill(queue, 'a', 1);
  const { running } = started(queue);
  expect(running).toHaveLength(1);
});

it('has room until its limit of waiting jobs, and again when one has started', async () => {
  const queue = new ExecutionQueue({ concurrency: 1, maxWaiting: 2 });
  const { end } = started(queue);
  fill(queue, 'a', 2);
  expect(queue.hasRoom()).toBe(true);
  fill(queue, 'b', 1);
  expect(queue.hasRoom()).toBe(false);
  await end();
  expect(queue.hasRoom()).toBe(true);
});

it('counts the jobs that wait, and not those that run', async () => {
  const queue = new ExecutionQueue({ concurrency: 1 });
  const { end } = started(queue);
  const counts = [queue.waitingCount()];
  fill(queue, 'a', 3);
  counts.push(queue.waitingCount());
  await end();
  counts.push(queue.waitingCount());
  expect(counts).toEqual([0, 2, 1]);
});

it('starts no jobs after it is closed, and keeps jobs that were added before its start', async () => {
  const queue = new ExecutionQueue();
  fill(queue, 'a', 1);
  const { running } = started(queue);
  expect(running).toHaveLength(1);

  queue.close();
  fill(queue, 'b', 1);
  expect(running).toHaveLength(1);
});

describe('subjects', () => {
  function fillFor(queue: ExecutionQueue, subject: string, count: number, priority = 0): void {
    for (let index = 0; index < count; index += 1)
      queue.enqueue({ executionId: `${subject}-${index}`, workflowId: 'w', subject, priority });
  }
  const subjectsOf = (jobs: readonly Job[]): readonly (string | undefined)[] => jobs.map(({ subject }) => subject);

  it('find a free slot, however many jobs of another one run and wait', () => {
    const queue = new ExecutionQueue();
    const { running } = started(queue);
    fillFor(queue, 'busy', 300);
    expect(running).toHaveLength(129);

    fillFor(queue, 'other', 1);
    expect(running.at(-1)).toMatchObject({ executionId: 'other-0', workflowId: 'w', subject: 'other' });
  });

  it('take turns in a full queue', async () => {
    const queue = new ExecutionQueue({ concurrency: 1 });
    fillFor(queue, 'busy', 100);
    fillFor(queue, 'other', 2);
    fillFor(queue, 'third', 1);
    const { end, running } = started(queue);

    for (let ended = 0; ended < 5; ended += 1) await end();

    expect(subjectsOf(running)).toEqual(['busy', 'other', 'third', 'busy', 'other', 'busy']);
  });

  it('start as many jobs in a turn as their weight', async () => {
    const queue = new ExecutionQueue({ concurrency: 1, weightOf: (subject) => (subject === 'paying' ? 2 : 1) });
    fillFor(queue, 'free', 4);
    fillFor(queue, 'paying', 4);
    const { end, running } = started(queue);

    for (let ended = 0; ended < 6; ended += 1) await end();

    expect(subjectsOf(running)).toEqual(['free', 'paying', 'paying', 'free', 'paying', 'paying', 'free']);
  });

  it('do not get more than their share by priority', async () => {
    const queue = new ExecutionQueue({ concurrency: 4 });
    const { end, running } = started(queue);
    fillFor(queue, 'urgent', 10, 9);
    expect(running).toHaveLength(3);
    fillFor(queue, 'other', 2);
    expect(subjectsOf(running)).toEqual(['urgent', 'urgent', 'urgent', 'other']);

    await end();
    expect(subjectsOf(running).slice(4)).toEqual(['other']);
  });

  it('use at most a share of the places for waiting jobs', () => {
    const queue = new ExecutionQueue({ concurrency: 1, maxWaiting: 10 });
    started(queue);
    for (let index = 0; queue.hasRoom('busy'); index += 1)
      queue.enqueue({ executionId: `busy-${index}`, workflowId: 'w', subject: 'busy' });
    expect([queue.hasRoom('busy'), queue.hasRoom('other'), queue.hasRoom()]).toEqual([false, true, true]);
  });

  it('do not limit work without a subject', () => {
    const queue = new ExecutionQueue({ concurrency: 8 });
    const { running } = started(queue);
    fill(queue, 'schedule', 10);
    expect(running).toHaveLength(8);
  });
});

it.each([
  [{ concurrency: 0 }, 'The option `queue.concurrency` must be a whole number from 1, not 0'],
  [{ concurrency: 1.5 }, 'The option `queue.concurrency` must be a whole number from 1, not 1.5'],
  [{ concurrency: '9' }, 'The option `queue.concurrency` must be a whole number from 1, not 9'],
  [{ maxWaiting: -1 }, 'The option `queue.maxWaiting` must be a whole number from 0, not -1'],
  [{ weightOf: 2 }, 'The option `queue.weightOf` must be a function'],
  [{ concurency: 2 }, 'The option `queue` has no option "concurency". Did you mean "concurrency"?'],
])('refuses options with which nothing can run: %j', (options, message) => {
  expect(() => new ExecutionQueue(options as never)).toThrow(new ConfigurationError(message));
});
