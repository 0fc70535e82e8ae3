import { ScopeClosedSignal } from '../branches/control-signals.ts';
import type { StepRun } from './step-run.ts';
import { untilReady } from './until-ready.ts';

/**
 * Waits until a point in time, in milliseconds since the epoch. It is chosen once and recorded when
 * the wait begins.
 */
export async function sleepUntil(run: StepRun, chooseWakeAt: () => Promise<number>): Promise<void> {
  const { executionRun, path, scope } = run;
  // After an interruption, the time chosen before still holds.
  if (!executionRun.waits.timers.has(path)) {
    await untilReady(run);
    const wakeAt = await chooseWakeAt();
    if (scope.isClosed) throw new ScopeClosedSignal();
    run.span?.addEvent('sleeping', { 'halyard.step.wake_at': wakeAt });
    executionRun.waitChanges.sleep(path, wakeAt);
  }
  await untilReady(run);
}
