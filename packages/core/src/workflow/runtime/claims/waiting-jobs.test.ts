import { expect, it } from 'vitest';
import { WaitingJobs } from './waiting-jobs.ts';

it('takes a job at the same cost, however many are waiting', () => {
  const few = cpuPerJob(10_000);
  const many = cpuPerJob(100_000);

  expect(many / few).toBeLessThan(2.5);
});

/** The CPU time of adding and taking one of `count` jobs. Not affected by the load of the machine. */
function cpuPerJob(count: number): number {
  const jobs = new WaitingJobs();
  const before = process.cpuUsage();
  for (let index = 0; index < count; index += 1) jobs.add({ executionId: `run-${index}`, workflowId: 'w' });
  while (jobs.take() !== undefined);
  return process.cpuUsage(before).user / count;
}
