import { check, checkEqual } from '../check.ts';
import { countTo } from './count-to.ts';
import { quiet, withProcess } from './test-process.ts';
import type { WorkQueueCase } from './work-queue-harness.ts';

export const closeCases: readonly WorkQueueCase[] = [
  {
    name: 'hands out nothing after it is closed, and does not wait for running jobs',
    run: (harness) =>
      withProcess(harness, 1, async (process) => {
        process.start().add('runs', 'waits');
        await process.untilBegun(1);
        await inTime(process.queue.close());
        process.add('late');
        process.endAll();
        await quiet();
        checkEqual(process.begunIds, ['runs'], 'What was handed out');
      }),
  },
  {
    name: 'accepts jobs before the start and after the close',
    run: async ({ open }) => {
      const queue = open({ concurrency: 1 });
      queue.enqueue({ executionId: 'early', workflowId: 'orders' });
      queue.start(async () => {}, ['orders']);
      queue.enqueue({ executionId: 'of a workflow that nobody named', workflowId: 'unknown' });
      await queue.close();
      queue.enqueue({ executionId: 'late', workflowId: 'orders' });
      await queue.close();
    },
  },
  {
    name: 'can be closed before it is started',
    run: async ({ open }) => {
      await inTime(open({ concurrency: 1 }).close());
    },
  },
  {
    name: 'has room while few jobs wait',
    run: (harness) =>
      withProcess(harness, 1, async (process) => {
        check(process.queue.hasRoom(), 'It should have room before it is started');
        process.start().add(...countTo(20));
        await process.untilBegun(1);
        check(process.queue.hasRoom(), 'It should have room when twenty wait');
      }),
  },
];

async function inTime(closing: Promise<void>): Promise<void> {
  let isLate = false;
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(() => {
    isLate = true;
    late.resolve();
  }, 10_000);
  await Promise.race([closing, late.promise]);
  clearTimeout(timer);
  check(!isLate, 'It should be closed, but waits');
}
