import { InvalidInputError, type JsonValue, StepFailedError } from '@halyard/contracts';
import { toJson } from '../../../json/to-json.ts';
import type { CompiledSchema } from '../../../schema/compile-schema.ts';
import { BailSignal } from '../branches/control.ts';
import type { Scope } from '../branches/scope.ts';
import { runStep } from '../step/run-step.ts';
import { StepRun } from '../step/step-run.ts';
import type { ExecutionRun } from './execution-run.ts';
import type { LiveExecution } from './live-execution.ts';

/**
 * Runs the steps of a workflow one after the other, those that are recorded from their records.
 *
 * @returns its result, as its schema has it.
 */
export function runWorkflow(executionRun: ExecutionRun, execution: LiveExecution, scope: Scope): Promise<JsonValue> {
  const ended = runSteps(executionRun, execution, scope);
  const { result } = execution.workflow;
  return result === undefined ? ended : ended.then((given) => acceptResult(execution, result, given));
}

/** Where it is recorded that a step ended its workflow. */
export function bailPath({ path }: LiveExecution): string {
  return `${path}#bail`;
}

async function runSteps(executionRun: ExecutionRun, execution: LiveExecution, scope: Scope): Promise<JsonValue> {
  const bailed = executionRun.journal.get(bailPath(execution));
  if (bailed !== undefined) {
    executionRun.closeBelow(execution.path, scope.open());
    return bailed.output;
  }
  let data = execution.input;
  let stepIndex = 0;
  try {
    const { steps } = execution.workflow;
    for (let step = steps[0]; step !== undefined; step = steps[stepIndex]) {
      const place = { path: execution.pathOf(step.id), items: '', stepIndex };
      data = await runStep(new StepRun({ executionRun, execution, span: execution.span }, scope, step, place), data);
      stepIndex += 1;
    }
    return data;
  } catch (error) {
    if (error instanceof BailSignal && error.executionId === execution.id) return error.result;
    throw error;
  }
}

/** @throws StepFailedError naming the last step. */
async function acceptResult(
  { workflow }: LiveExecution,
  schema: CompiledSchema<unknown>,
  result: JsonValue,
): Promise<JsonValue> {
  const accepted = await schema.validate(result, 'result');
  if (!accepted.ok)
    throw new StepFailedError(workflow.steps.at(-1)?.id ?? workflow.id, {
      cause: new InvalidInputError(accepted.message),
    });
  return accepted.value === result ? result : toJson(accepted.value);
}
