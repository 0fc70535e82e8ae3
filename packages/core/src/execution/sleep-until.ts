import { ready } from './run-body.ts';
import type { StepRun } from './step-run.ts';

/** Waits until a point in time (milliseconds since the epoch) that is recorded when the wait begins. */
export async function sleepUntil(run: StepRun, chooseWakeAt: () => Promise<number>): Promise<void> {
  const { activation, path } = run;
  // Stopped here and resumed: the time that was chosen still holds.
  if (!activation.waits.timers.has(path)) {
    await ready(run);
    activation.sleep(path, await chooseWakeAt());
  }
  await ready(run);
}
