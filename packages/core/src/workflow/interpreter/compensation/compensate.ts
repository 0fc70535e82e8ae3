import { type JsonValue, StepFailedError } from '@halyard/contracts';
import { loggedRunError } from '../../../model/providers/provider-failure.ts';
import { decisionPath, isBelow, isDecision } from '../../definition/place.ts';
import { type StepAtPath, stepAtPath } from '../../definition/step-at-path.ts';
import { ControlSignal } from '../branches/control-signals.ts';
import type { Scope } from '../branches/scope.ts';
import type { ExecutionRun } from '../run/execution-run.ts';
import { LiveExecution } from '../run/live-execution.ts';
import { runBody } from '../step/run-body.ts';
import { StepRun } from '../step/step-run.ts';

/** A finished step that is to be undone. */
interface Compensation extends StepAtPath {
  readonly path: string;
  readonly output: JsonValue;
}

/** Whether a finished step of this execution or of its sub-workflows is to be undone. */
export function mustCompensate(executionRun: ExecutionRun): boolean {
  return compensations(executionRun, '').length > 0;
}

/**
 * Undoes the finished steps of an execution and its sub-workflows, the newest first, one after the
 * other. Recorded compensations are not repeated. A compensation that fails for good is recorded
 * and logged, and the next one runs.
 *
 * @param within the path of a sub-workflow; `''` for the root.
 * @throws ScopeClosedSignal
 */
export async function compensate(executionRun: ExecutionRun, within: string, scope: Scope): Promise<void> {
  for (const compensation of compensations(executionRun, within))
    await compensateStep(executionRun, compensation, scope);
}

function compensations({ journal, root }: ExecutionRun, within: string): readonly Compensation[] {
  return [...journal.values()]
    .filter(({ path, status }) => status === 'success' && !isDecision(path) && isBelow(path, within))
    .filter(({ path }) => !journal.has(decisionPath(path, 'compensate')))
    .flatMap(({ output, path }) => {
      const place = stepAtPath(root.workflow, path);
      return place?.step.compensate === undefined ? [] : [{ ...place, path, output }];
    })
    .toReversed();
}

/** The root, or a sub-workflow, which is created again from its row if it ended before this run. */
function executionAt({ children, journal, root }: ExecutionRun, path: string): LiveExecution | undefined {
  if (path === '') return root;
  const id = journal.get(decisionPath(path, 'execution'))?.output ?? null;
  const [row, workflow] = [children.row(id), stepAtPath(root.workflow, path)?.step.workflow];
  const live = children.find(id);
  if (live !== undefined || row === undefined || workflow === undefined) return live;
  return new LiveExecution(workflow, row, new Set());
}

async function compensateStep(
  executionRun: ExecutionRun,
  { executionPath, items, output, path, step, stepIndex }: Compensation,
  scope: Scope,
): Promise<void> {
  const execution = executionAt(executionRun, executionPath);
  if (execution === undefined) return;
  const place = { path: decisionPath(path, 'compensate'), items, stepIndex, isCompensation: true };
  const run = new StepRun({ executionRun, execution, span: execution.span }, scope, step, place);
  const { spans } = executionRun;
  spans?.startStep(run, output);
  try {
    await runBody(run, output, (context) => step.compensate?.(context));
    run.recordAt(run.path, 'compensate', null);
    run.emit('step-compensated', {});
    spans?.stepSucceeded(run, null);
  } catch (cause) {
    if (cause instanceof ControlSignal) throw cause;
    const { code, message, stepId } = new StepFailedError(run.stepId, { cause });
    run.recordAt(run.path, 'compensate', null, { message, stepId, code });
    run.emit('step-compensation-error', { error: message });
    spans?.stepFailed(run, cause);
    run.logger.error(loggedRunError(cause), 'the compensation of a step failed');
  }
}
