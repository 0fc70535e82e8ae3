import { ScopeClosedSignal } from '../branches/control-signals.ts';
import { listWakingPaths } from '../waits/waits.ts';
import type { StepRun } from './step-run.ts';

/** Waits until the step may continue. @param path where it waits. @throws ScopeClosedSignal */
export async function untilReady(run: StepRun, path: string = run.path): Promise<void> {
  while (!isReady(run, path)) await waitForChange(run, path);
}

/**
 * Whether the step may continue now: nothing holds it up, and all steps before it are stored.
 * @throws ScopeClosedSignal
 */
export function isReady(run: StepRun, path: string = run.path): boolean {
  const { commits, options } = run.executionRun;
  if (run.scope.isClosed) throw new ScopeClosedSignal();
  if (mustWait(run, path) || commits.hasUnsavedEntries()) return false;
  // The process may have been paused since the timer of its lease could last run.
  options.checkLease();
  if (run.scope.isClosed) throw new ScopeClosedSignal();
  return true;
}

function mustWait({ executionRun }: StepRun, path: string): boolean {
  const { isStopping, waits } = executionRun;
  return isStopping || (!waits.isEmpty && waits.isPending(path, executionRun.now()));
}

/** Waits until something may have changed that holds it up. */
export function waitForChange(run: StepRun, path: string = run.path): Promise<void> {
  const { commits, waits } = run.executionRun;
  return mustWait(run, path) ? waits.wait(run, listWakingPaths(path)) : commits.saved();
}
