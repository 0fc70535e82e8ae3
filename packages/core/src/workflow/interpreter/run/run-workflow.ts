import { InvalidInputError, type JsonValue, StepFailedError } from '@halyard/contracts';
import { toJson } from '../../../json/to-json.ts';
import { BailSignal } from '../branches/control-signals.ts';
import type { Scope } from '../branches/scope.ts';
import { continuationType } from '../step/continue-as-new.ts';
import { runStep } from '../step/run-step.ts';
import { StepRun } from '../step/step-run.ts';
import type { ExecutionRun } from './execution-run.ts';
import type { LiveExecution } from './live-execution.ts';

/**
 * Runs the steps of a workflow in order. Recorded steps are not run again: their output is read
 * from the journal.
 *
 * @returns the result, as the workflow's schema parses it.
 */
export async function runWorkflow(
  executionRun: ExecutionRun,
  execution: LiveExecution,
  scope: Scope,
): Promise<JsonValue> {
  const result = await runSteps(executionRun, execution, scope);
  // A workflow that continues as a new execution has no result yet.
  const isContinued = executionRun.journal.get(execution.bailPath)?.type === continuationType;
  return isContinued ? result : acceptResult(execution, result);
}

async function runSteps(executionRun: ExecutionRun, execution: LiveExecution, scope: Scope): Promise<JsonValue> {
  const bail = executionRun.journal.get(execution.bailPath);
  if (bail !== undefined) {
    executionRun.closeBelow(execution.path, scope.open());
    return bail.output;
  }
  let data = execution.input;
  try {
    for (const [stepIndex, step] of execution.workflow.steps.entries()) {
      const place = { path: execution.pathOf(step.id), items: '', stepIndex };
      data = await runStep(new StepRun({ executionRun, execution, span: execution.span }, scope, step, place), data);
    }
    return data;
  } catch (error) {
    if (error instanceof BailSignal && error.executionId === execution.id) return error.result;
    throw error;
  }
}

/** @throws StepFailedError naming the last step. */
async function acceptResult({ workflow }: LiveExecution, result: JsonValue): Promise<JsonValue> {
  if (workflow.result === undefined) return result;
  const accepted = await workflow.result.validate(result, 'result');
  if (!accepted.ok)
    throw new StepFailedError(workflow.steps.at(-1)?.id ?? workflow.id, {
      cause: new InvalidInputError(accepted.message),
    });
  return accepted.value === result ? result : toJson(accepted.value);
}
