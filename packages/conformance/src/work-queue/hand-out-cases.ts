import { check, checkEqual } from '../check.ts';
import { countTo } from './count-to.ts';
import { quiet, type TestProcess, withProcess } from './test-process.ts';
import type { WorkQueueCase, WorkQueueHarness } from './work-queue-harness.ts';

/** A case with one process, whose queue runs this many jobs at a time. */
function one(name: string, concurrency: number, run: (process: TestProcess) => Promise<void>): WorkQueueCase {
  return { name, run: (harness: WorkQueueHarness) => withProcess(harness, concurrency, run) };
}

export const handOutCases: readonly WorkQueueCase[] = [
  one('hands out jobs that were added before and after the start', 9, async (process) => {
    process.add('before-1', 'before-2').start().add('after-1', 'after-2');
    await process.untilBegun(4);
    await quiet();
    checkEqual(process.begunIds.toSorted(), ['after-1', 'after-2', 'before-1', 'before-2'], 'What was handed out');
  }),
  one('hands out each of many jobs once, with few slots', 3, async (process) => {
    process.isQuick = true;
    const ids = countTo(60);
    process.start().add(...ids);
    await process.untilBegun(ids.length);
    await quiet();
    checkEqual(process.begunIds.toSorted(), ids.toSorted(), 'What was handed out');
  }),
  one('runs at most as many jobs at a time as it has slots', 2, async (process) => {
    process.start().add(...countTo(5));
    await process.untilBegun(2);
    await quiet();
    for (let begun = 3; begun <= 5; begun += 1) {
      process.end();
      await process.untilBegun(begun);
      await quiet();
      check(process.mostAtOnce <= 2, `It should run two at a time, but runs ${process.mostAtOnce}`);
    }
  }),
  one('uses all of its slots', 3, async (process) => {
    process.start().add(...countTo(9));
    await process.untilBegun(3);
    process.endAll();
    await process.untilBegun(6);
    process.endAll();
    await process.untilBegun(9);
  }),
  one('queues an execution once when it is enqueued repeatedly', 1, async (process) => {
    process.start().add('first');
    await process.untilBegun(1);
    process.add('second', 'second', 'third', 'second');
    await process.takesIn();
    process.isQuick = true;
    process.endAll();
    await process.until(() => process.begunIds.includes('third'), 'The third should be handed out');
    await process.until(() => process.begunIds.includes('second'), 'The second should be handed out');
    await quiet();
    checkEqual(process.begunIds.toSorted(), ['first', 'second', 'third'], 'What was handed out');
  }),
  one('hands out an execution again when it is enqueued after its run', 1, async (process) => {
    process.isQuick = true;
    process.start().add('first');
    await process.untilBegun(1);
    await process.takesIn();
    process.add('first');
    await process.untilBegun(2);
  }),
  one('hands out the highest priority of a workflow first', 1, async (process) => {
    process.start().add('first');
    await process.untilBegun(1);
    for (const [executionId, priority] of [
      ['low', -5],
      ['plain', 0],
      ['high', 5],
      ['highest', 1_000],
    ] as const)
      process.queue.enqueue({ executionId, workflowId: 'orders', priority });
    await process.takesIn();
    for (let begun = 2; begun <= 5; begun += 1) {
      process.end();
      await process.untilBegun(begun);
    }
    checkEqual(process.begunIds, ['first', 'highest', 'high', 'plain', 'low'], 'The order');
  }),
  one('alternates between workflows, although many jobs of one wait', 1, async (process) => {
    process.start().add(...countTo(40));
    await process.untilBegun(1);
    process.queue.enqueue({ executionId: 'note', workflowId: 'notes' });
    await process.takesIn();
    for (let begun = 2; begun <= 4; begun += 1) {
      process.end();
      await process.untilBegun(begun);
    }
    check(
      process.begunIds.includes('note'),
      'The job of another workflow should be among the first after it was added',
    );
  }),
  one('returns ids of executions and workflows unchanged', 1, async (process) => {
    const ids = [' padded ', 'Ünï\u0000code 🎈', `quote's "and" \\`, 'UPPER', 'upper', 'x'.repeat(2_000), '%_:/'];
    process.start().add('first');
    await process.untilBegun(1);
    for (const executionId of ids) process.queue.enqueue({ executionId, workflowId: 'a:b.c-d_e' });
    await process.takesIn();
    process.isQuick = true;
    process.endAll();
    await process.untilBegun(ids.length + 1);
    const [, ...others] = process.begun;
    checkEqual(others.map(({ executionId }) => executionId).toSorted(), ids.toSorted(), 'The ids');
    checkEqual([...new Set(others.map(({ workflowId }) => workflowId))], ['a:b.c-d_e'], 'The workflow');
  }),
];
