import type { Job } from '@halyard/contracts';
import { expect, it } from 'vitest';
import { InProcessQueue } from './in-process-queue.ts';

/** Starts jobs that run until the test ends them. */
function started(queue: InProcessQueue): { readonly running: Job[]; readonly end: (index?: number) => Promise<void> } {
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

function fill(queue: InProcessQueue, workflowId: string, count: number): void {
  for (let index = 0; index < count; index += 1) queue.enqueue({ executionId: `${workflowId}-${index}`, workflowId });
}

it('runs no more jobs at a time than its limit', async () => {
  const queue = new InProcessQueue({ concurrency: 2 });
  const { end, running } = started(queue);
  fill(queue, 'a', 3);
  expect(running.map(({ executionId }) => executionId)).toEqual(['a-0', 'a-1']);

  await end();
  expect(running.map(({ executionId }) => executionId)).toEqual(['a-0', 'a-1', 'a-2']);
});

it('runs the first job of another workflow next, however many jobs of one workflow wait', async () => {
  const queue = new InProcessQueue({ concurrency: 1 });
  const { end, running } = started(queue);
  fill(queue, 'busy', 1_000);
  fill(queue, 'other', 2);
  fill(queue, 'third', 1);

  for (let ended = 0; ended < 5; ended += 1) await end();

  expect(running.map(({ workflowId }) => workflowId)).toEqual(['busy', 'busy', 'other', 'third', 'busy', 'other']);
});

it('starts the highest priority first, and within it in order of arrival', async () => {
  const queue = new InProcessQueue({ concurrency: 1 });
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
  const queue = new InProcessQueue({ concurrency: 1 });
  fill(queue, 'a', 1);
  fill(queue, 'a', 1);
  const { running } = started(queue);
  expect(running).toHaveLength(1);
});

it('has room until its limit of waiting jobs, and again when one has started', async () => {
  const queue = new InProcessQueue({ concurrency: 1, maxWaiting: 2 });
  const { end } = started(queue);
  fill(queue, 'a', 2);
  expect(queue.hasRoom()).toBe(true);
  fill(queue, 'b', 1);
  expect(queue.hasRoom()).toBe(false);
  await end();
  expect(queue.hasRoom()).toBe(true);
});

it('starts no jobs after it is closed, and keeps jobs that were added before its start', async () => {
  const queue = new InProcessQueue();
  fill(queue, 'a', 1);
  const { running } = started(queue);
  expect(running).toHaveLength(1);

  await queue.close();
  fill(queue, 'b', 1);
  expect(running).toHaveLength(1);
});
