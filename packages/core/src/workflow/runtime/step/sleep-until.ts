import { ScopeClosedSignal } from '../branches/control.ts';
import { ready } from './run-body.ts';
import type { StepRun } from './step-run.ts';

/** Waits until a point in time (milliseconds since the epoch) that is recorded when the wait begins. */
export async function sleepUntil(run: StepRun, chooseWakeAt: () => Promise<number>): Promise<void> {
  const { executionRun, path, scope } = run;
  // Stopped here and resumed: the time that was chosen still holds.
  if (!executionRun.waits.timers.has(path)) {
    await ready(run);
    const wakeAt = await chooseWakeAt();
    if (scope.isClosed) throw new ScopeClosedSignal();
    run.span?.addEvent('sleeping', { 'halyard.step.wake_at': wakeAt });
    executionRun.sleep(path, wakeAt);
  }
  await ready(run);
}
