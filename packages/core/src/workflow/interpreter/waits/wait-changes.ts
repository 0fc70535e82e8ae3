import type { Suspension } from '@halyard/contracts';
import { decisionPath } from '../../definition/place.ts';
import type { SuspendOptions } from '../run/execution-run-options.ts';
import type { ExecutionRun } from '../run/execution-run.ts';
import type { StepRun } from '../step/step-run.ts';
import { suspensionEvent } from './suspension-report.ts';
import { listWakingPaths } from './waits.ts';

/** The last time that a date can have. */
const latestTime = 8.64e15;

/** Begins and ends the waits of the steps of one run. The next commit writes them. */
export class WaitChanges {
  readonly #run: ExecutionRun;
  #suspensionCount = 0;

  constructor(run: ExecutionRun) {
    this.#run = run;
  }

  /** Suspends a step. */
  suspend(
    { execution, path: stepPath, span, stepId, stepIndex }: StepRun,
    { data, event, kind, onExpire, path = stepPath, reason, rules, timeoutMs }: SuspendOptions,
  ): void {
    const isRepeated = this.#run.waits.resumptions.has(path);
    this.clearWait(path);
    this.clearWait(decisionPath(path, 'timeout'));
    span?.addEvent('suspended', { 'halyard.suspension.kind': kind }, { 'halyard.suspension.reason': reason });
    const place = { path, stepId, stepIndex, executionId: execution.id };
    this.addSuspension({
      ...place,
      kind,
      reason,
      ...(data !== undefined && { data }),
      ...(event !== undefined && { event }),
      ...(rules !== undefined && { rules }),
      ...(onExpire !== undefined && { onExpire }),
      ...(isRepeated && { isRepeated }),
    });
    if (timeoutMs !== undefined)
      this.sleep(decisionPath(path, 'timeout'), Math.min(this.#run.latestNow() + timeoutMs, latestTime));
  }

  /** @param attempts for a retry: how many attempts have failed. */
  sleep(path: string, wakeAt: number, attempts?: number): void {
    const { commits, now, options, waits } = this.#run;
    this.clearWait(path);
    commits.draft.timers.push(waits.addTimer({ path, wakeAt, ...(attempts !== undefined && { attempts }) }));
    options.onSleep(wakeAt - now());
  }

  addSuspension(fields: Omit<Suspension, 'id' | 'suspendedAt'>): void {
    const { children, commits, epoch, now, root, waits } = this.#run;
    this.#suspensionCount += 1;
    const id = suspensionId(root, epoch, this.#suspensionCount);
    const suspension = { ...fields, id, suspendedAt: now() };
    waits.suspensions.set(suspension.path, suspension);
    commits.draft.suspensions.push(suspension);
    for (const execution of [...children.around(suspension.path), root])
      execution.emit(suspensionEvent(execution, suspension), commits.draft);
  }

  /** The step at this path has ended. */
  clearStepWaits(path: string): void {
    if (this.#run.waits.isEmpty) return;
    for (const one of listWakingPaths(path)) this.clearWait(one);
  }

  /** A step has received the resume data after a suspension from outside: later steps do not. */
  consumeOutsideResumption(): void {
    const { waits } = this.#run;
    for (let one = waits.outsideResumption; one !== undefined; one = waits.outsideResumption) this.clearWait(one.path);
  }

  clearWait(path: string): void {
    if (this.#run.waits.clearWait(path)) this.#run.commits.draft.clearWait(path);
  }
}

/** The id of an execution can be used again: resume data for the deleted one must not fit. */
export function suspensionId({ creationId }: { readonly creationId: string }, epoch: number, count: number): string {
  return `${epoch}.${count}-${creationId.slice(-8)}`;
}
