import { expect, it } from 'vitest';
import { WaitingJobs } from './waiting-jobs.ts';

/** The clock of CPU time is coarse, so both numbers come from as many jobs. */
const jobsInAll = 400_000;

it('takes a job at the same cost, however many are waiting', () => {
  const few = cpuTime(10_000);
  const many = cpuTime(100_000);

  expect(many / few).toBeLessThan(2.5);
});

/** The CPU time of adding and taking jobs of which `count` wait at a time. Not affected by the load of the machine. */
function cpuTime(count: number): number {
  const before = process.cpuUsage();
  for (let round = 0; round < jobsInAll / count; round += 1) {
    const jobs = new WaitingJobs();
    for (let index = 0; index < count; index += 1) jobs.add({ executionId: `run-${index}`, workflowId: 'w' });
    while (jobs.take() !== undefined);
  }
  return process.cpuUsage(before).user;
}
