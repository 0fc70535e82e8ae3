import { check, checkEqual } from '../check.ts';
import { countTo } from './count-to.ts';
import { quiet, type TestProcess, withProcess } from './test-process.ts';
import type { WorkQueueCase, WorkQueueHarness } from './work-queue-harness.ts';

/** How often to check for the jobs. */
const maxChecks = 200;

export const sharedCases: readonly WorkQueueCase[] = [
  shared('lets another process run jobs for which one has no slot', [1, 4], async (one, other) => {
    other.start();
    one.start().add(...countTo(5));
    await one.untilBegun(1);
    await other.untilBegun(4);
    await quiet();
    checkEqual([...one.begunIds, ...other.begunIds].toSorted(), countTo(5).toSorted(), 'What was handed out');
  }),
  shared('hands out each job in one process only, whichever process added it', [2, 2], async (one, other) => {
    for (const process of [one, other]) {
      process.isQuick = true;
      process.start();
    }
    const [some, others] = [countTo(30), countTo(30).map((id) => `other-${id}`)];
    one.add(...some);
    other.add(...others);
    const all = (): readonly string[] => [...one.begunIds, ...other.begunIds];
    for (let checks = 0; checks < maxChecks && all().length < 60; checks += 1) await quiet();
    await quiet();
    checkEqual(all().toSorted(), [...some, ...others].toSorted(), 'What was handed out');
  }),
  shared('leaves waiting jobs to other processes when it is closed', [1, 4], async (one, other) => {
    one.start().add(...countTo(4));
    await one.untilBegun(1);
    one.end();
    await one.untilBegun(2);
    await one.queue.close();
    other.start();
    await other.untilBegun(2);
    await quiet();
    checkEqual([...one.begunIds, ...other.begunIds].toSorted(), countTo(4), 'What was handed out');
  }),
  shared('does not hand out a job that runs in another process', [1, 1], async (one, other) => {
    one.start().add('first', 'second');
    await one.untilBegun(1);
    await quiet();
    one.end();
    await one.untilBegun(2);
    other.start();
    await quiet();
    await quiet();
    check(other.begun.length === 0, 'What runs in one process should not be handed to another');
  }),
];

/** A case for two processes. It passes for queues that are not shared. */
function shared(
  name: string,
  [places, otherPlaces]: readonly [number, number],
  run: (one: TestProcess, other: TestProcess) => Promise<void>,
): WorkQueueCase {
  return {
    name,
    run: (harness: WorkQueueHarness) =>
      withProcess(harness, places, async (one) => {
        if (one.queue.isShared !== true) return;
        await withProcess(harness, otherPlaces, (other) => run(one, other));
      }),
  };
}
